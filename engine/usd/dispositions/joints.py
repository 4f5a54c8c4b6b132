"""Dispositions of joints and tendons."""

from .disposition import Schema, rows

NO_MIMIC = "mimic-not-applied"
JOINTS = (
    *(
        Schema(name)
        for name in (
            *("PhysicsJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint"),
            *("PhysicsDistanceJoint", "PhysicsFixedJoint"),
        )
    ),
    Schema("PhysxPhysicsGearJoint"),
    Schema("PhysxPhysicsRackAndPinionJoint"),
    Schema("PhysicsLimitAPI"),
    Schema("PhysicsDriveAPI"),
    Schema("PhysicsJointStateAPI"),
    Schema("PhysxLimitAPI"),
    Schema("PhysxJointAxisAPI"),
    Schema("PhysxDrivePerformanceEnvelopeAPI"),
    Schema("PhysxPhysicsDistanceJointAPI"),
    Schema("PhysxMimicJointAPI", rows(NO_MIMIC, "physxMimicJoint:*:referenceJoint")),
    Schema("FajinMimicAPI", rows(NO_MIMIC, "fajinMimic:*:references")),
    Schema("PhysxTendonAxisAPI", rows("tendon-not-used", "physxTendon:*:jointAxis")),
    Schema("PhysxTendonAxisRootAPI"),
    Schema("PhysxTendonAttachmentAPI", rows("tendon-not-used", "parentAttachment parentLink", "physxTendon:*:")),
    Schema("PhysxTendonAttachmentRootAPI"),
    Schema("PhysxTendonAttachmentLeafAPI"),
    Schema("PhysxJointAPI", rows("retired-name", "armature jointFriction maxJointVelocity", "physxJoint:")),
)
