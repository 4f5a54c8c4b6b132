"""Dispositions of scenes and articulations."""

from .disposition import OUTPUT, PART, Row, Schema, rows

ENGINE = "engine-internal"
SCENES = (
    Schema("PhysicsScene"),
    Schema(
        "PhysxSceneAPI",
        (
            *rows(
                ENGINE,
                "broadphaseType enableGPUDynamics frictionType solveArticulationContactLast gpuCollisionStackSize "
                "gpuFoundLostAggregatePairsCapacity gpuFoundLostPairsCapacity gpuHeapCapacity "
                "gpuMaxDeformableSurfaceContacts gpuMaxDeformableVolumeContacts gpuMaxNumPartitions "
                "gpuMaxParticleContacts gpuMaxRigidContactCount gpuMaxRigidPatchCount gpuTempBufferCapacity "
                "gpuTotalAggregatePairsCapacity gpuMaxSoftBodyContacts",
                "physxScene:",
            ),
            *rows(
                OUTPUT,
                "enableSceneQuerySupport reportKinematicKinematicPairs reportKinematicStaticPairs "
                "enableResidualReporting",
                "physxScene:",
            ),
            Row("physxScene:collisionSystem", "collision-system", "PCM"),
            Row("physxScene:enableStabilization", "stabilization", False),
            Row("physxScene:enableEnhancedDeterminism", "constraint-order", False),
            Row("physxScene:maxBiasCoefficient", "bias-limit", float("inf")),
            Row("physxScene:updateType", "scene-not-stepped", ("Synchronous", "Asynchronous")),
        ),
    ),
    Schema("PhysxSceneQuasistaticAPI", rows(PART, "physxSceneQuasistatic:enableQuasistatic"), "quasistatic",
           "physxSceneQuasistatic:enableQuasistatic"),
    Schema("FajinSceneAPI"),
    Schema("PhysicsArticulationRootAPI"),
    Schema("PhysxArticulationAPI", rows("stabilization", "physxArticulation:stabilizationThreshold")),
    Schema("PhysxArticulationForceSensorAPI"),
    Schema("PhysxResidualReportingAPI", rows(
        OUTPUT,
        "maxResidualPositionIteration maxResidualVelocityIteration rmsResidualPositionIteration "
        "rmsResidualVelocityIteration",
        "physxResidualReporting:",
    )),
)  # fmt: skip
