"""Warp adapter, part 3: builds, link-time objects, caches.

Runs in the namespace of warp.py, which says how; boot.py joins the files.
"""

from __future__ import annotations

# What a build knows of itself when it is over.
SOURCE_FIELDS = ("bytes", "digest", "lto", "launches", "backward_bytes", "kernel_count", "largest", "largest_bytes")
SOURCE_FIELDS += ("unrolled",)


def device_alias(device: Any, arch: Any) -> str:
    if device is not None:
        return device.alias
    return "cuda" if arch is not None else context.runtime.get_device().alias


def compile_begin(args: tuple, kwargs: Any) -> None:
    module = args[0]
    device = device_alias(argument(args, kwargs, 1, "device"), argument(args, kwargs, 4, "output_arch"))
    building.setdefault(get_ident(), []).append({"module": module.name, "device": device, "launches": launched()})
    emit("mark", {"name": "begin", "what": "compile", "module": module.name})


def artefact_folder(args: tuple, kwargs: Any, identity: Optional[str]) -> str:
    folder, module = argument(args, kwargs, 2, "output_dir"), args[0]
    if folder is not None:
        return os.fspath(folder)
    name = "wp_" + module.name
    if identity is not None and not module.options.get("strip_hash"):
        name += "_" + identity[:7]
    return os.path.join(str(warp_config().kernel_cache_dir), name)


def compiled(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    module, caller = args[0], sys._getframe(1)
    stack = building.get(get_ident())
    work = stack.pop() if stack else {"module": module.name, "device": None}
    block_dim = (argument(args, kwargs, 6, "options") or module.options).get("block_dim")
    identity = identity_of(module.hashers.get(block_dim))
    outcome = "failed" if failed else "compiled" if result or work.get("native") else "cached"
    built[get_ident()] = (module.name, outcome)
    fields = {"step": "module", "module": module.name, "identity": identity, "device": work["device"]}
    fields.update(block_dim=block_dim, toolchain="llvm" if work["device"] == "cpu" else "nvrtc", result=outcome)
    fields.update({name: work[name] for name in SOURCE_FIELDS if name in work})
    fields["path"] = artefact_folder(args, kwargs, identity)
    fields["aot"] = caller.f_code.co_name == "compile_aot_module"
    if outcome == "compiled":
        fields.update(unusable(fields["path"]))
    write("compile", fields, span, where(caller))


def work_here() -> dict:
    stack = building.get(get_ident())
    return stack[-1] if stack else {}


def generated(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    work, options = work_here(), argument(args, kwargs, 1, "options") or {}
    fields = {"module": args[0].name, "block_dim": options.get("block_dim"), "device": work.get("device")}
    if not failed:
        source = result[0].encode("utf-8", "replace")
        work.update(bytes=len(source), digest=hashlib.sha256(source).hexdigest()[:16], lto=len(result[3]))
        work.update(source_parts(result[0]))
        fields.update({name: work[name] for name in ("bytes", "digest", "lto")})
    write("codegen", fields, span)


def generated_by_builder(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    """Until 1.14, where Module._run_codegen does not exist: ModuleBuilder.codegen(device) gives the source."""
    builder, work = args[0], work_here()
    links = len(getattr(builder, "ltoirs", ()) or ())
    options = {"block_dim": builder.options.get("block_dim")}
    generated((result or "", "", {}, [None] * links), (builder.module, options), None, span, failed, note)


def native_begin(args: tuple, kwargs: Any) -> None:
    pch()  # forget one that was made outside a build


def native_after(toolchain: str) -> Callable:
    def after(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
        work, made = work_here(), pch()
        work["native"] = True
        if made is not None:
            made_in = (span[0], span[1], made[0] - span[0], made[1] - span[1])
            write("pch", {"path": made[2], "module": work.get("module")}, made_in)
        fields = {"step": "native", "module": work.get("module"), "toolchain": toolchain}
        fields["result"] = "failed" if failed else "compiled"
        write("compile", fields, span)

    return after


def link_file(build: Any, symbol: str) -> Optional[tuple]:
    """What tells the cached file of a link-time object from a new one."""
    name = build.hash_symbol(symbol)[: getattr(build, "LTO_CACHE_KEY_LENGTH", 7)] + ".lto"
    try:
        info = os.stat(os.path.join(build.get_lto_cache_dir(), name))
    except OSError:
        return None
    return (info.st_ino, info.st_mtime_ns)


def patch_links(build: Any) -> None:
    def begin(args: tuple, kwargs: Any) -> Optional[tuple]:
        symbol = argument(args, kwargs, 0, "lto_symbol")
        seen = link_file(build, symbol)
        if seen is None:
            emit("mark", {"name": "begin", "what": "link", "symbol": symbol})
        return seen

    def after(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
        symbol = argument(args, kwargs, 0, "lto_symbol")
        outcome = "failed" if failed or not result[0] else "compiled"
        if outcome == "compiled" and note is not None and link_file(build, symbol) == note:
            outcome = "cached"
        fields = {"symbol": symbol, "result": outcome, "module": work_here().get("module")}
        if outcome != "cached":
            fields.update(link_arguments(sys._getframe(1)))
        write("link", fields, span)

    patch(build, "_build_lto_base", begin, after)


def cache_root(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    if failed:
        return
    fields, at = {"what": "root", "path": str(warp_config().kernel_cache_dir)}, None
    if argument(args, kwargs, 0, "path") is not None:
        fields["by"], at = "program", config_writes.get("kernel_cache_dir") or where(sys._getframe(1))
    else:
        fields["by"] = "environment" if "WARP_CACHE_PATH" in os.environ else "default"
    write("cache", fields, None, at)


def cache_cleared(result: Any, args: tuple, kwargs: Any, span: tuple, failed: Any, note: Any) -> None:
    fields = {"what": "clear", "path": str(warp_config().kernel_cache_dir)}
    write("cache", fields, None, where(sys._getframe(1)))
