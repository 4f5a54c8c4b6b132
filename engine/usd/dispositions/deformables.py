"""Dispositions of deformable bodies: those of PhysX, those that it has retired, and those of Newton."""

from .disposition import Schema, feature

DEFORMABLE, OMNI = "deformable", "omniphysics"
ENDS = "attachmentEnabled damping src0 src1 stiffness"
ATTACHMENTS = {
    "OmniPhysicsAttachment": "",
    "OmniPhysicsVtxVtxAttachment": "vtxIndicesSrc0 vtxIndicesSrc1",
    "OmniPhysicsVtxTriAttachment": "triCoordsSrc1 triIndicesSrc1 vtxIndicesSrc0",
    "OmniPhysicsVtxTetAttachment": "tetCoordsSrc1 tetIndicesSrc1 vtxIndicesSrc0",
    "OmniPhysicsVtxCrvAttachment": "crvSegCoordsSrc1 crvSegIndicesSrc1 vtxIndicesSrc0",
    "OmniPhysicsVtxXformAttachment": "localPositionsSrc1 vtxIndicesSrc0",
    "OmniPhysicsTetXformAttachment": "localPositionsSrc1 tetCoordsSrc0 tetIndicesSrc0",
    "OmniPhysicsTriTriAttachment": "triCoordsSrc0 triCoordsSrc1 triIndicesSrc0 triIndicesSrc1",
}
PHYSX_DEFORMABLES = (
    feature("OmniPhysicsBodyAPI", OMNI, "kinematicEnabled simulationOwner startsAsleep"),
    feature("OmniPhysicsDeformableBodyAPI", OMNI, "deformableBodyEnabled mass", DEFORMABLE, "deformableBodyEnabled"),
    feature("OmniPhysicsBaseMaterialAPI", OMNI, "density dynamicFriction staticFriction"),
    feature("OmniPhysicsDeformableMaterialAPI", OMNI, "poissonsRatio youngsModulus"),
    feature(
        "OmniPhysicsSurfaceDeformableMaterialAPI",
        OMNI,
        "surfaceBendStiffness surfaceShearStiffness surfaceStretchStiffness surfaceThickness",
    ),
    feature(
        "OmniPhysicsCurvesDeformableMaterialAPI",
        OMNI,
        "curveBendStiffness curveStretchStiffness curveThickness curveTwistStiffness",
    ),
    feature("OmniPhysicsVolumeDeformableSimAPI", OMNI, "restShapePoints restTetVtxIndices"),
    feature(
        "OmniPhysicsSurfaceDeformableSimAPI",
        OMNI,
        "restAdjTriPairs restBendAngles restBendAnglesDefault restShapePoints restTriVtxIndices",
    ),
    feature("OmniPhysicsCurvesDeformableSimAPI", OMNI, "restCrvVtxIndices restNormals restShapePoints"),
    feature("OmniPhysicsDeformablePoseAPI", "deformablePose:*:omniphysics", "points purposes"),
    *(feature(name, OMNI, f"{ENDS} {names}", DEFORMABLE) for name, names in ATTACHMENTS.items()),
    feature(
        "OmniPhysicsElementCollisionFilter",
        OMNI,
        "filterEnabled groupElemCounts0 groupElemCounts1 groupElemIndices0 groupElemIndices1 src0 src1",
    ),
    feature(
        "PhysxBaseDeformableBodyAPI",
        "physxDeformableBody",
        "disableGravity enableSpeculativeCCD linearDamping maxDepenetrationVelocity maxLinearVelocity selfCollision "
        "selfCollisionFilterDistance settlingDamping settlingThreshold sleepThreshold solverPositionIterationCount",
    ),
    feature(
        "PhysxSurfaceDeformableBodyAPI",
        "physxDeformableBody",
        "collisionIterationMultiplier collisionPairUpdateFrequency",
    ),
    feature("PhysxDeformableMaterialAPI", "physxDeformableMaterial", "elasticityDamping"),
    feature("PhysxSurfaceDeformableMaterialAPI", "physxDeformableMaterial", "bendDamping"),
    feature("PhysxAutoDeformableBodyAPI", "physxDeformableBody", "autoDeformableBodyEnabled cookingSourceMesh"),
    feature("PhysxAutoDeformableHexahedralMeshAPI", "physxDeformableBody", "resolution"),
    feature(
        "PhysxAutoDeformableMeshSimplificationAPI",
        "physxDeformableBody",
        "autoDeformableMeshSimplificationEnabled forceConforming remeshingEnabled remeshingResolution "
        "targetTriangleCount",
    ),
    feature(
        "PhysxAutoDeformableAttachmentAPI",
        "physxAutoDeformableAttachment",
        "attachable0 attachable1 collisionFilteringOffset deformableVertexOverlapOffset enableCollisionFiltering "
        "enableDeformableFilteringPairs enableDeformableVertexAttachments enableRigidSurfaceAttachments maskShapes "
        "rigidSurfaceSamplingDistance",
    ),
)
RETIRED_DEFORMABLES = (
    feature(
        "PhysxDeformableAPI",
        "physxDeformable",
        "deformableEnabled enableCCD maxDepenetrationVelocity restPoints selfCollision selfCollisionFilterDistance "
        "settlingThreshold simulationIndices simulationOwner simulationVelocities sleepDamping sleepThreshold "
        "solverPositionIterationCount vertexVelocityDamping",
    ),
    feature(
        "PhysxDeformableBodyAPI",
        "physxDeformable",
        "collisionIndices collisionPoints collisionRestPoints disableGravity simulationPoints simulationRestPoints",
        DEFORMABLE,
    ),
    feature(
        "PhysxDeformableSurfaceAPI",
        "physxDeformableSurface",
        "bendingStiffnessScale collisionIterationMultiplier collisionPairUpdateFrequency flatteningEnabled maxVelocity",
        DEFORMABLE,
    ),
    feature(
        "PhysxDeformableBodyMaterialAPI",
        "physxDeformableBodyMaterial",
        "dampingScale density dynamicFriction elasticityDamping poissonsRatio youngsModulus",
    ),
    feature(
        "PhysxDeformableSurfaceMaterialAPI",
        "physxDeformableSurfaceMaterial",
        "density dynamicFriction poissonsRatio thickness youngsModulus",
    ),
    feature(
        "PhysxPhysicsAttachment",
        "",
        "actor0 actor1 attachmentEnabled collisionFilterIndices0 collisionFilterIndices1 filterType0 filterType1 "
        "points0 points1",
        DEFORMABLE,
    ),
    feature(
        "PhysxAutoAttachmentAPI",
        "physxAutoAttachment",
        "collisionFilteringOffset deformableVertexOverlapOffset enableCollisionFiltering "
        "enableDeformableFilteringPairs enableDeformableVertexAttachments enableRigidSurfaceAttachments "
        "rigidSurfaceSamplingDistance",
    ),
)
NEWTON_DEFORMABLES = (
    Schema("NewtonPointsDeformableSimAPI", feature("", "physics", "masses").rows, DEFORMABLE),
    feature(
        "NewtonCurvesDeformableMaterialAPI",
        "newton",
        "curvesStretchDamping curvesShearDamping curvesBendDamping curvesTwistDamping",
    ),
)
