"""Made-up motions of robots, and what USD shows of them."""

import numpy as np
from pxr import Usd, UsdGeom, UsdValidation

from fajin.recording.recorder import Recording
from fajin.usd.stage.transforms import rigid_frame

EPS = float(np.finfo(np.float32).eps)
HARD = """#usda 1.0
(
    defaultPrim = "World"
    kilogramsPerUnit = 0.001
    metersPerUnit = 0.01
    timeCodesPerSecond = 24
    upAxis = "Y"
)
def Xform "World"
{
    double3 xformOp:translate = (10, 20, 30)
    float3 xformOp:rotateXYZ = (20, 30, 40)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    def Xform "robot" (
        instanceable = true
        references = </_robot>
    )
    {
        float3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }
    def PhysicsScene "physics"
    {
    }
}
over "_robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{
    def Xform "base" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
    )
    {
        float physics:mass = 1000
        half3 xformOp:translate = (1, 2, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Xform "shell"
        {
            float3 xformOp:rotateXYZ = (0, 90, 0)
            uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]
            def Cube "upper" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
            )
            {
                float physics:mass = 1000
                double xformOp:rotateY = 90
                double3 xformOp:translate = (4, 0, 0)
                float3 xformOp:scale = (1, 2, 3)
                uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY", "xformOp:scale"]
                def Cube "lower" (
                    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
                )
                {
                    float physics:mass = 1000
                    double3 xformOp:translate = (4, 0, 9)
                    float3 xformOp:scale = (3, 2, 1)
                    quatf xformOp:orient = (0.8, 0.6, 0, 0)
                    uniform token[] xformOpOrder = [
                        "!resetXformStack!", "xformOp:translate", "xformOp:orient", "xformOp:scale"]
                }
            }
        }
    }
    def PhysicsRevoluteJoint "shoulder"
    {
        rel physics:body0 = </_robot/base>
        rel physics:body1 = </_robot/base/shell/upper>
    }
    def PhysicsPrismaticJoint "elbow"
    {
        rel physics:body0 = </_robot/base/shell/upper>
        rel physics:body1 = </_robot/base/shell/upper/lower>
    }
}
"""


def times(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of quaternions (…, 4) xyzw."""
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    return np.concatenate([vector, a[..., 3:] * b[..., 3:] - (a[..., :3] * b[..., :3]).sum(-1, keepdims=True)], -1)


def motion(scene, frames: int = 40, fps: float = 60.0, still=()) -> Recording:
    """Links tumble about axes of their own, far from no rotation at all; `still` are columns of links that do not."""
    random = np.random.default_rng(1)
    bodies = [link for articulation in scene.articulations for link in articulation.links]
    joints = [joint for articulation in scene.articulations for joint in articulation.joints]
    dof = tuple(f"{joint.path}:{axis.token}" for joint in joints for axis in joint.axes)
    time = np.arange(frames) / fps
    axis = random.normal(size=(len(bodies), 3))
    half = 1.0 + time[:, None] * random.uniform(3.0, 6.0, len(bodies))  # [rad] several turns
    turn = np.concatenate(
        [np.sin(half)[..., None] * axis / np.linalg.norm(axis, axis=1)[:, None], np.cos(half)[..., None]], -1
    )
    pose = np.zeros((frames, len(bodies), 7))
    pose[..., :3] = np.array([body.pose[0] for body in bodies]) + np.sin(time[:, None, None] * axis)
    pose[..., 3:] = times(turn, np.array([body.pose[1] for body in bodies]))
    for column in still:
        pose[:, column] = [*bodies[column].pose[0], *bodies[column].pose[1]]
    q = np.cumsum(random.normal(size=(frames, len(dof))), axis=0)
    unit = tuple("rad" if name.rpartition(":")[2].startswith("rot") else "m" for name in dof)
    link = tuple(body.path for body in bodies)
    q = q[:, None]
    return Recording(scene, dof, unit, link, time, q, -2.0 * q, 3.0 * q, pose[:, None])


def poses(path, recording: Recording, codes) -> np.ndarray:
    """World poses [m] of the recorded links as USD gives them at time codes, (T, L, 7)."""
    stage = Usd.Stage.Open(str(path))
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    found = np.zeros((len(codes), len(recording.link), 7))
    for t, code in enumerate(codes):
        cache = UsdGeom.XformCache(code)
        for i, link in enumerate(recording.link):
            matrix = rigid_frame(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(link)))
            turn = matrix.ExtractRotationQuat().GetNormalized()
            found[t, i] = [*(metres * x for x in matrix.ExtractTranslation()), *turn.GetImaginary(), turn.GetReal()]
    return found


def apart(found: np.ndarray, recorded: np.ndarray) -> float:
    """Largest difference of position [m] or quaternion, Q and -Q being one rotation."""
    sign = np.sign(np.sum(found[..., 3:] * recorded[..., 3:], axis=-1, keepdims=True))
    return max(
        np.abs(found[..., :3] - recorded[..., :3]).max(), np.abs(found[..., 3:] - sign * recorded[..., 3:]).max()
    )


def roundoff(recording: Recording) -> float:
    """What float32 samples make of a pose: per link an ulp of position, and of a rotation's real part from 30° on."""
    reach = 1.0 + np.abs(recording.pose[..., :3]).max() + 1.0
    deep = max(path.count("/") for path in recording.link)
    return deep * reach * EPS / np.sin(np.radians(15.0))


def problems(path) -> set[tuple[str, ...]]:
    """What USD's validators find in a stage, by error and prim."""
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    found = set()
    for error in context.Validate(Usd.Stage.Open(str(path))):
        sites = [str(site.GetPrim().GetPath()) if site.IsPrim() else "" for site in error.GetSites()]
        found.add((str(error.GetName()), *sites))
    return found
