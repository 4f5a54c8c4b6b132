"""Codes of what changes PhysX's motion and is not simulated: message and fix. A message begins with the feature's name.

`fajin simulate` prints the names alone, so that they share a line.
"""

NOT_YET = "not simulated yet"
MISSING = {
    # scenes
    "second-scene": (
        f"physics scenes that differ in more than the strength of gravity: {NOT_YET}; {{related}} is used for all",
        "",
    ),
    "physics-scene-owner": (
        f"bodies of several physics scenes, or of scenes with other settings: {NOT_YET}; the first is used for all",
        "",
    ),
    "owner-missing": (
        "bodies without a physics scene: PhysX leaves out what names a scene that does not exist; here it moves",
        "name the physics scene",
    ),
    "scene-not-stepped": ("scenes that are not stepped: PhysX does not advance this scene; here it moves", ""),
    "stabilization": (f"stabilization: {NOT_YET}; PhysX damps slow bodies that touch", "author false to compare"),
    "collision-system": (f"contacts by SAT: {NOT_YET}; those of PCM are used", "author PCM to compare"),
    "constraint-order": (
        "enhanced determinism: not simulated; PhysX solves contacts and joints in another order with it",
        "author false to compare",
    ),
    "bias-limit": (f"limited constraint bias: {NOT_YET}; PhysX's PGS obeys it", ""),
    "quasistatic": (f"quasistatic actors: {NOT_YET}", ""),
    # bodies
    "continuous-collision": (
        f"continuous collision detection of links: {NOT_YET}; a fast link may pass through a thin shape",
        "raise physxScene:timeStepsPerSecond",
    ),
    "speculative-collision": (
        f"speculative collision detection of links: {NOT_YET}; a fast link may pass through a thin shape",
        "raise physxScene:timeStepsPerSecond, or physxCollision:contactOffset",
    ),
    "surface-velocity": (
        f"surface velocities along a curve, or of a kinematic body that a joint holds: {NOT_YET}; "
        "the surface stands still",
        "author PhysxSurfaceVelocityAPI on bodies without joints",
    ),
    "retained-forces": (
        "forces of a body that retains accelerations: PhysX adds them in every step to those of all steps before; "
        f"{NOT_YET}: here they stay as authored",
        "author false",
    ),
    "user-forces": (
        f"several forces on a body that differ in place, frame or mode: {NOT_YET}; the first acts",
        "author one force, or set forces on links by --controls",
    ),
    # instancers
    "point-instancer": (
        "arrays of different lengths, colliders below a body, or an instancer within an instance: "
        "{count} instances neither move nor collide",
        "correct the arrays, or author each instance as a prim",
    ),
    "joint-instancer": (
        "prototypes that do not exist, or arrays of different lengths: {count} instances do not hold",
        "correct the arrays, or author each joint as a prim",
    ),
    # colliders
    "mesh-merge": (f"merged collision meshes: {NOT_YET}", "apply PhysicsCollisionAPI to the meshes"),
    "mesh-cooking": (f"parameters of mesh approximations: {NOT_YET}; PhysX's shape differs", ""),
    "mesh-simplification": (
        f"simplified meshes: {NOT_YET}; all triangles of the mesh collide",
        "author a mesh with fewer triangles, and none",
    ),
    "distance-field": (f"signed distance fields: {NOT_YET}; the mesh collides as convex parts", ""),
    # joints
    "joint-to-container": (
        "joints to containers of colliders: PhysX moves the joint by the transform of the first shape, {related}; "
        "here it is where the file puts it",
        "apply PhysicsCollisionAPI to the shape",
    ),
    "free-translation": (f"free translations of a D6 joint: {NOT_YET}, locked at 0", "use a prismatic joint"),
    "actuator": (
        f"Newton's actuators with {{what}}: {NOT_YET}; PhysX reads no actuator; the joint has no motor by this prim",
        "author a drive with fajin author drive",
    ),
    # what is neither a rigid body nor a joint
    "vehicle": (f"vehicles: {NOT_YET}", ""),
    "character-controller": (f"character controllers: {NOT_YET}", ""),
    "particles": (f"particles, fluids and cloth of particles: {NOT_YET}", ""),
    "deformable": (f"deformable bodies: {NOT_YET}", ""),
}
