"""Sound USD files that fuzzers damage: small scenes and recorded ones, as texts, binary layers and packages."""

from functools import cache
from pathlib import Path

from pxr import Sdf, UsdUtils

SEEDS = Path(__file__).parent / "seeds"
SCENES = Path(__file__).parents[1] / "recorded" / "joints" / "scenes"
BASES = (
    *("a05_pendulum_paxes", "a07_chain5", "b07_posvel_pgs", "c02_limit_drive_tgs", "c09_newton_vs_axis"),
    *("d01_mimic_rev_g1_pgs4", "d07_newton_mimic", "f01_spherical", "f02_spherical_cone", "f03_d6_drives3_pgs"),
    *("f12_worldjoint_offset", "f13_loop_excluded", "g01_zup_cm", "g03_link_scale", "g04_mass_auto", "s05_push_tgs"),
    *("t07_drive_pgs", "t14_two_pgs", "x04_rev_restitution_pgs", "x12_fourbar_tgs4", "x16_pyramid_pgs"),
    "y01_spin_gyro1_tgs",
)


@cache
def bases() -> dict[str, str]:
    """Texts of the recorded scenes that are mutated, by name; those that are there."""
    files = {path.stem: path for path in SCENES.glob("*.usda")}
    return {name: files[name].read_text() for name in BASES if name in files}


@cache
def seeds() -> dict[str, str]:
    """Texts of small scenes by name."""
    return {path.stem: path.read_text() for path in sorted(SEEDS.glob("*.usda"))}


@cache
def sound_files(folder: str) -> dict[str, bytes]:
    """Contents of sound files by name, which are written to a folder: texts, binary layers and packages."""
    found = {}
    for name, text in {**bases(), **seeds()}.items():
        place = Path(folder) / f"{name}.usda"
        place.write_text(text)
        binary, package = place.with_suffix(".usdc"), place.with_suffix(".usdz")
        Sdf.Layer.FindOrOpen(str(place)).Export(str(binary))
        UsdUtils.CreateNewUsdzPackage(str(binary), str(package))
        found |= {file.name: file.read_bytes() for file in (place, binary, package)}
    return found
