"""A model of MuJoCo Warp on the CPU: mujoco_model.py MODEL.xml [STEPS]; MODEL lies in the test_data of the package."""

import pathlib
import sys

import mujoco
import mujoco_warp as mjw
import warp as wp

path = pathlib.Path(mjw.__file__).parent / "test_data" / sys.argv[1]
model = mujoco.MjModel.from_xml_path(str(path))
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
with wp.ScopedDevice("cpu"):
    m, d = mjw.put_model(model), mjw.put_data(model, data)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 2):
        mjw.step(m, d)
    print("qpos", " ".join(f"{x:.4f}" for x in d.qpos.numpy().ravel()[:4]))
