# All events of a run -> a lever file that builds its modules ahead.
(map(select(.ev == "declare")) | map({key: .module, value: .where.file}) | from_entries) as $files |
(map(select(.ev == "hash" and .kernels != null)) | map({key: .identity, value: (.kernels | keys)}) | from_entries) as $kernels |
{schema: "kiln-levers-1", levers: [{id: "prebuild", how: $how, modules: [
  map(select(.ev == "compile" and .step == "module" and .result == "compiled")) | sort_by(.t)[] |
  {name: .module, file: $files[.module], device, block_dim, identity, kernels: $kernels[.identity],
   cost_ms: (.dur / 1000000 | floor)}]}]}
