"""Dispositions of particles, fluids and cloth of particles; the last two of schemas that PhysX has retired."""

from .disposition import feature

SYSTEM, PARTICLES = "particles", "particles"
PARTICLE_SCHEMAS = (
    feature(
        "PhysxParticleSystem",
        "",
        "contactOffset enableCCD fluidRestOffset globalSelfCollisionEnabled maxDepenetrationVelocity maxNeighborhood "
        "maxVelocity neighborhoodScale nonParticleCollisionEnabled particleContactOffset particleSystemEnabled "
        "restOffset simulationOwner solidRestOffset solverPositionIterationCount wind",
        SYSTEM,
    ),
    feature("PhysxParticleAPI", "physxParticle", "particleEnabled particleGroup particleSystem selfCollision"),
    feature("PhysxParticleSetAPI", "physxParticle", "fluid simulationPoints", PARTICLES),
    feature(
        "PhysxParticleSamplingAPI", "physxParticleSampling", "maxSamples particles samplingDistance volume", PARTICLES
    ),
    feature(
        "PhysxPBDMaterialAPI",
        "physxPBDMaterial",
        "adhesion adhesionOffsetScale cflCoefficient cohesion damping density friction gravityScale "
        "particleAdhesionScale particleFrictionScale surfaceTension viscosity vorticityConfinement drag lift",
    ),
    feature(
        "PhysxParticleIsosurfaceAPI",
        "physxParticleIsosurface",
        "gridFilteringPasses gridSmoothingRadius gridSpacing isosurfaceEnabled maxSubgrids maxTriangles maxVertices "
        "numMeshNormalSmoothingPasses numMeshSmoothingPasses surfaceDistance",
    ),
    feature("PhysxParticleSmoothingAPI", "physxParticleSmoothing", "particleSmoothingEnabled strength"),
    feature("PhysxParticleAnisotropyAPI", "physxParticleAnisotropy", "max min particleAnisotropyEnabled scale"),
    feature(
        "PhysxDiffuseParticlesAPI",
        "physxDiffuseParticles",
        "airDrag bubbleDrag buoyancy collisionDecay diffuseParticlesEnabled divergenceWeight kineticEnergyWeight "
        "lifetime maxDiffuseParticleMultiplier pressureWeight threshold useAccurateVelocity",
    ),
    feature(
        "PhysxParticleClothAPI",
        "physxParticle",
        "pressure restPoints selfCollisionFilter springDampings springIndices springRestLengths springStiffnesses",
        PARTICLES,
    ),
    feature(
        "PhysxAutoParticleClothAPI",
        "physxAutoParticleCloth",
        "disableMeshWelding springBendStiffness springDamping springShearStiffness springStretchStiffness",
    ),
)
