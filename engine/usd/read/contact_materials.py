"""Contact materials of colliders."""

from pxr import Usd, UsdShade

from ...scene import ContactMaterial
from ..attributes import CONTACT_MATERIAL
from ..attributes.contact import SPRING
from ..stage.stage import StageReader, schemas


def read_contact_material(source: StageReader, prim: Usd.Prim, scene: Usd.Prim | None) -> ContactMaterial:
    """Read the physics material bound to a collider or an ancestor, else to the physics scene, else the default."""
    material = bound_material(prim) or (bound_material(scene) if scene else None)
    if material is None:
        return ContactMaterial()
    by_mass = source.authored(material, SPRING) is True and "PhysxMaterialAPI" in schemas(material)
    return ContactMaterial(**source.values(material, CONTACT_MATERIAL, acceleration=by_mass))


def bound_material(prim: Usd.Prim) -> Usd.Prim | None:
    """Return the physics material that is bound to a prim; None if there is none."""
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    found = material.GetPrim() if material else None
    return found if found and "PhysicsMaterialAPI" in schemas(found) else None
