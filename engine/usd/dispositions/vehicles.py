"""Dispositions of vehicles, character controllers and cameras."""

from .disposition import Schema, feature, rows

VEHICLE, CAMERA = "vehicle", "other-tool"
VEHICLES = (
    feature(
        "PhysxVehicleAPI",
        "physxVehicle",
        "drive highForwardSpeedSubStepCount lateralStickyTireDamping lateralStickyTireThresholdSpeed "
        "lateralStickyTireThresholdTime limitSuspensionExpansionVelocity longitudinalStickyTireDamping "
        "longitudinalStickyTireThresholdSpeed longitudinalStickyTireThresholdTime lowForwardSpeedSubStepCount "
        "minActiveLongitudinalSlipDenominator minLateralSlipDenominator minLongitudinalSlipDenominator "
        "minPassiveLongitudinalSlipDenominator subStepThresholdLongitudinalSpeed suspensionLineQueryType "
        "vehicleEnabled referenceFrameIsCenterOfMass",
        VEHICLE,
        "vehicleEnabled",
    ),
    feature(
        "PhysxVehicleContextAPI", "physxVehicleContext", "forwardAxis longitudinalAxis upAxis updateMode verticalAxis"
    ),
    feature("PhysxVehicleTireFrictionTable", "", "defaultFrictionValue frictionValues groundMaterials"),
    feature(
        "PhysxVehicleWheelAPI",
        "physxVehicleWheel",
        "dampingRate mass maxBrakeTorque maxHandBrakeTorque maxSteerAngle moi radius toeAngle width",
    ),
    feature(
        "PhysxVehicleTireAPI",
        "physxVehicleTire",
        "camberStiffness camberStiffnessPerUnitGravity frictionTable frictionVsSlipGraph lateralStiffnessGraph "
        "latStiffX latStiffY longitudinalStiffness longitudinalStiffnessPerUnitGravity restLoad",
    ),
    feature(
        "PhysxVehicleSuspensionAPI",
        "physxVehicleSuspension",
        "camberAtMaxCompression camberAtMaxDroop camberAtRest maxCompression maxDroop springDamperRate "
        "springStrength sprungMass travelDistance",
    ),
    feature(
        "PhysxVehicleWheelAttachmentAPI",
        "physxVehicleWheelAttachment",
        "collisionGroup driven index suspension suspensionForceAppPointOffset suspensionFrameOrientation "
        "suspensionFramePosition suspensionTravelDirection tire tireForceAppPointOffset wheel "
        "wheelCenterOfMassOffset wheelFrameOrientation wheelFramePosition",
    ),
    feature(
        "PhysxVehicleSuspensionComplianceAPI",
        "physxVehicleSuspensionCompliance",
        "suspensionForceAppPoint tireForceAppPoint wheelCamberAngle wheelToeAngle",
    ),
    feature(
        "PhysxVehicleEngineAPI",
        "physxVehicleEngine",
        "dampingRateFullThrottle dampingRateZeroThrottleClutchDisengaged dampingRateZeroThrottleClutchEngaged "
        "idleRotationSpeed maxRotationSpeed moi peakTorque torqueCurve",
    ),
    feature("PhysxVehicleGearsAPI", "physxVehicleGears", "ratios ratioScale switchTime"),
    feature("PhysxVehicleAutoGearBoxAPI", "physxVehicleAutoGearBox", "downRatios latency upRatios"),
    feature("PhysxVehicleClutchAPI", "physxVehicleClutch", "strength"),
    feature("PhysxVehicleDriveBasicAPI", "physxVehicleDriveBasic", "peakTorque"),
    feature("PhysxVehicleDriveStandardAPI", "physxVehicleDriveStandard", "autoGearBox clutch engine gears"),
    feature(
        "PhysxVehicleMultiWheelDifferentialAPI",
        "physxVehicleMultiWheelDifferential",
        "averageWheelSpeedRatios torqueRatios wheels",
    ),
    feature(
        "PhysxVehicleTankDifferentialAPI",
        "physxVehicleTankDifferential",
        "numberOfWheelsPerTrack thrustIndexPerTrack trackToWheelIndices wheelIndicesInTrackOrder",
    ),
    feature("PhysxVehicleBrakesAPI", "physxVehicleBrakes:*", "maxBrakeTorque torqueMultipliers wheels"),
    feature("PhysxVehicleSteeringAPI", "physxVehicleSteering", "angleMultipliers maxSteerAngle wheels"),
    feature(
        "PhysxVehicleAckermannSteeringAPI",
        "physxVehicleAckermannSteering",
        "maxSteerAngle strength trackWidth wheel0 wheel1 wheelBase",
    ),
    feature(
        "PhysxVehicleControllerAPI",
        "physxVehicleController",
        "accelerator brake brake0 brake1 handbrake steer steerLeft steerRight targetGear",
    ),
    feature("PhysxVehicleTankControllerAPI", "physxVehicleTankController", "thrust0 thrust1"),
    feature("PhysxVehicleWheelControllerAPI", "physxVehicleWheelController", "brakeTorque driveTorque steerAngle"),
    feature(
        "PhysxVehicleNonlinearCommandResponseAPI",
        "physxVehicleNCR:*",
        "commandValues speedResponses speedResponsesPerCommandValue",
    ),
)
CHARACTERS = (
    feature(
        "PhysxCharacterControllerAPI",
        "physxCharacterController",
        "climbingMode contactOffset invisibleWallHeight maxJumpHeight moveTarget nonWalkableMode scaleCoeff "
        "simulationOwner slopeLimit stepOffset upAxis volumeGrowth",
        "character-controller",
    ),
)
CAMERAS = (
    Schema("PhysxCameraAPI", rows(CAMERA, "alwaysUpdateEnabled physxCamera:subject")),
    Schema(
        "PhysxCameraFollowAPI",
        (
            *rows(
                CAMERA,
                "cameraPositionTimeConstant followMaxDistance followMaxSpeed followMinDistance followMinSpeed "
                "followTurnRateGain lookAheadMaxSpeed lookAheadMinDistance lookAheadMinSpeed lookAheadTurnRateGain "
                "lookPositionHeight lookPositionTimeConstant pitchAngle pitchAngleTimeConstant positionOffset "
                "slowPitchAngleSpeed slowSpeedPitchAngleScale velocityNormalMinSpeed yawAngle yawRateTimeConstant",
                "physxFollowCamera:",
            ),
            *rows(CAMERA, "physxFollowFollowCamera:lookAheadMaxDistance"),
        ),
    ),
    Schema(
        "PhysxCameraFollowLookAPI",
        rows(
            CAMERA,
            "downHillGroundAngle downHillGroundPitch followReverseDistance followReverseSpeed upHillGroundAngle "
            "upHillGroundPitch velocityBlendTimeConstant",
            "physxFollowLookCamera:",
        ),
    ),
    Schema("PhysxCameraFollowVelocityAPI"),
    Schema(
        "PhysxCameraDroneAPI",
        rows(
            CAMERA,
            "feedForwardVelocityGain followDistance followHeight horizontalVelocityGain maxDistance maxSpeed "
            "positionOffset rotationFilterTimeConstant velocityFilterTimeConstant verticalVelocityGain",
            "physxDroneCamera:",
        ),
    ),
)
