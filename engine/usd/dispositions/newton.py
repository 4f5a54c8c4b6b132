"""Dispositions of Newton's schemas. PhysX reads a few of their attributes; the rest only Newton's own solvers read."""

from .disposition import PART, Row, Schema, feature, rows

NEWTON_ONLY = "newton-only"
XPBD = (
    "softBodyRelaxation softContactRelaxation jointLinearRelaxation jointAngularRelaxation jointLinearCompliance "
    "jointAngularCompliance rigidContactRelaxation rigidContactConWeighting angularDamping restitutionEnabled"
)
KAMINO = (
    "padmm:primalTolerance padmm:dualTolerance padmm:complementarityTolerance padmm:warmstarting padmm:useAcceleration "
    "constraints:usePreconditioning constraints:alpha constraints:beta constraints:gamma jointCorrection"
)
VBD = "contactHistory jointLinearStiffness jointAngularStiffness jointLinearDamping jointAngularDamping"
MPM_SCENE = (
    "tolerance rheologySolvers voxelSize gridType gridPadding maxActiveCellCount transferScheme integrationScheme "
    "criticalFraction airDrag colliderBasisType colliderBasisOrder colliderDiscontinuousBasis strainBasisType "
    "strainBasisOrder strainDiscontinuousBasis velocityBasisType velocityBasisOrder"
)
MPM_MATERIAL = (
    "youngsModulus poissonsRatio elasticDamping internalFriction yieldPressure tensileYieldRatio yieldStress "
    "viscosity initialPlasticVolumeStrain hardening hardeningRate softeningRate dilatancy"
)
SDF = (
    "sdfMaxResolution sdfTargetVoxelSize sdfNarrowBandInner sdfNarrowBandOuter sdfTextureFormat sdfPadding "
    "hydroelasticEnabled hydroelasticStiffness"
)
NEWTON_SCHEMAS = (
    Schema("NewtonSceneAPI", rows("articulation-iterations", "newton:maxSolverIterations")),
    Schema("NewtonXpbdSceneAPI", rows(NEWTON_ONLY, XPBD, "newton:xpbd:")),
    Schema("NewtonKaminoSceneAPI", rows(NEWTON_ONLY, KAMINO, "newton:kamino:")),
    Schema("NewtonVbdSceneAPI", rows(NEWTON_ONLY, VBD, "newton:vbd:rigid:")),
    Schema("NewtonMPMSceneAPI", rows(NEWTON_ONLY, MPM_SCENE, "newton:mpm:")),
    Schema("NewtonArticulationRootAPI", rows("joints-add-up", "newton:jointsAddMobility")),
    Schema("NewtonJointAPI", rows("limit-hard", "limitStiffness limitDamping", "newton:")),
    Schema("NewtonMassAPI", rows(NEWTON_ONLY, "massModel shellThickness", "newton:")),
    Schema("NewtonCollisionAPI"),
    Schema("NewtonMeshCollisionAPI"),
    Schema("NewtonSDFCollisionAPI", rows(NEWTON_ONLY, SDF, "newton:")),
    Schema("NewtonSiteAPI"),
    Schema(
        "NewtonMaterialAPI",
        rows(
            NEWTON_ONLY,
            "torsionalFriction rollingFriction contactStiffness contactDamping contactFrictionGain contactAdhesion",
            "newton:",
        ),
    ),
    Schema("NewtonMPMMaterialAPI", rows(NEWTON_ONLY, MPM_MATERIAL, "newton:mpm:")),
    Schema("NewtonMimicAPI", (Row("newton:mimicJoint", "mimic-not-applied"),)),
    Schema("NewtonActuator", rows(PART, "newton:targets"), "actuator"),
    feature("NewtonActuatorDelayAPI", "newton", "delaySteps"),
    feature("NewtonActuatorControlBaseAPI"),
    feature("NewtonPDControlAPI", "newton", "constEffort kp kd"),
    feature("NewtonPIDControlAPI", "newton", "constEffort kp kd ki integralMax"),
    feature("NewtonNeuralControlAPI", "newton", "modelPath"),
    feature("NewtonActuatorClampingBaseAPI"),
    feature("NewtonMaxEffortClampingAPI", "newton", "maxEffort"),
    feature("NewtonDCMotorClampingAPI", "newton", "maxMotorEffort saturationEffort velocityLimit"),
    feature("NewtonPositionBasedClampingAPI", "newton", "lookupPositions lookupEfforts"),
)
