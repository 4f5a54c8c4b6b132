"""Dispositions of rigid bodies, colliders, materials and filters."""

from .disposition import OUTPUT, PART, Row, Schema, rows

NOT_READ, COOKING = "not-read", "mesh-cooking"
OWNER = Row("physics:simulationOwner", "physics-scene-owner")
BODIES = (
    Schema("PhysicsRigidBodyAPI", (OWNER,)),
    Schema("PhysicsMassAPI"),
    Schema(
        "PhysxRigidBodyAPI",
        (
            Row("physxRigidBody:retainAccelerations", "retained-accelerations", False),
            Row("physxRigidBody:stabilizationThreshold", "stabilization"),
        ),
    ),
    Schema("PhysxSurfaceVelocityAPI"),
    Schema(
        "PhysxSplinesSurfaceVelocityAPI",
        rows(
            PART,
            "surfaceVelocityCurve surfaceVelocityEnabled surfaceVelocityForceBased surfaceVelocityMagnitude",
            "physxSplinesSurfaceVelocity:",
        ),
        "surface-velocity",
        "physxSplinesSurfaceVelocity:surfaceVelocityEnabled",
    ),
    Schema("PhysxForceAPI"),  # the reader reports forces that do not act
    Schema("PhysxContactReportAPI", rows(OUTPUT, "reportPairs threshold", "physxContactReport:")),
)
COLLIDERS = (
    Schema("PhysicsCollisionAPI", (OWNER,)),
    Schema("PhysicsMeshCollisionAPI"),
    Schema("PhysicsFilteredPairsAPI"),
    Schema("PhysicsCollisionGroup", rows(NOT_READ, "physics:invertFilteredGroups physics:mergeGroup")),
    Schema("PhysxCollisionAPI"),
    Schema("PhysxTriggerAPI"),  # the reader reports triggers
    Schema(
        "PhysxTriggerStateAPI",
        rows(
            OUTPUT, "triggeredCollisions enterScriptType leaveScriptType onEnterScript onLeaveScript", "physxTrigger:"
        ),
    ),
    Schema("PhysxMeshMergeCollisionAPI", code="mesh-merge"),
    Schema("PhysxConvexHullCollisionAPI"),
    Schema(
        "PhysxConvexDecompositionCollisionAPI",
        rows(
            COOKING,
            "minThickness",
            "physxConvexDecompositionCollision:",
        ),
    ),
    Schema(
        "PhysxSphereFillCollisionAPI",
        rows(COOKING, "fillMode maxSpheres seedCount voxelResolution", "physxSphereFillCollision:"),
    ),
    Schema(
        "PhysxTriangleMeshSimplificationCollisionAPI",
        rows(COOKING, "metric weldTolerance", "physxTriangleMeshSimplificationCollision:"),
    ),
    Schema("PhysxTriangleMeshCollisionAPI", (Row("physxTriangleMeshCollision:weldTolerance", COOKING, float("-inf")),)),
    Schema(
        "PhysxSDFMeshCollisionAPI",
        rows(
            COOKING,
            "sdfBitsPerSubgridPixel sdfEnableRemeshing sdfMargin sdfNarrowBandThickness sdfResolution "
            "sdfSubgridResolution sdfTriangleCountReductionFactor",
            "physxSDFMeshCollision:",
        ),
    ),
    Schema("PhysxCookedDataAPI", rows("engine-internal", "physxCookedData:*:buffer")),
    Schema("PhysicsMaterialAPI"),
    Schema("PhysxMaterialAPI"),
    Schema("PhysxPhysicsInstancer", rows(PART, "physics:protoIndices physics:prototypes")),  # no prim has this type
    Schema(  # the reader reports instancers
        "PhysxPhysicsJointInstancer",
        rows(
            PART,
            "body0Indices body0s body1Indices body1s localPos0s localPos1s localRot0s localRot1s protoIndices "
            "prototypes",
            "physics:",
        ),
    ),
)
