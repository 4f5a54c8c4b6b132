"""Findings of OpenUSD's validators: core, except geometry metadata, and physics."""

import re
from collections.abc import Iterable, Iterator

from pxr import Gf, Tf, UsdValidation  # pyright: ignore[reportAttributeAccessIssue]  # not in the stubs

from ..usd.attributes.kinds import quoted
from ..usd.stage.open_stage import Diagnostics
from .context import CheckContext
from .finding import Edit, Finding, Severity

KEYWORDS = ("UsdCoreValidators", "UsdPhysicsValidators")
SEVERITIES = {  # validators whose findings are less severe, because fajin simulates the file
    "InertiaInvalidValues": Severity.WARNING,
    "AttributeTypeMismatch": Severity.WARNING,
    "MissingDefaultPrim": Severity.WARNING,
}
LEVELS = {"Error": Severity.ERROR, "Warn": Severity.WARNING}
FIXES_BY_ERROR = {
    "InertiaInvalidValues": "author positive physics:diagonalInertia and physics:principalAxes, or neither",
    "AttributeTypeMismatch": "author the attribute in the type of its schema",
    "MissingDefaultPrim": "author defaultPrim",
    "CompositionError": "fix the path, or remove the reference",
}
COVERED = {  # covered in more detail by a rule of fajin
    "JointInvalidPrimRel": "joint-to-nowhere",
    "JointNoEnabledRigidBody": "joint-to-nowhere",
    "JointRelNotXformable": "joint-to-nowhere",
    "InertiaInvalidValues": "inertia-not-physical",
    "MassInvalidValues": "invalid-value",
    "DensityInvalidValues": "invalid-value",
}


def validated(case: CheckContext, before: Iterable[Finding]) -> Iterator[Finding]:
    """Yield a finding for each validator error that no finding in `before` covers."""
    told = {(finding.rule, finding.prim) for finding in before}
    registry = UsdValidation.ValidationRegistry()
    named = [data.name for data in registry.GetAllValidatorMetadata() if set(data.GetKeywords()) & set(KEYWORDS)]
    said = Diagnostics()  # validators also print
    context = UsdValidation.ValidationContext([registry.GetOrLoadValidatorByName(name) for name in named])
    try:
        errors = context.Validate(case.stage)
    except Tf.ErrorException as error:
        errors = ()
        yield Finding("usd-validators", Severity.ERROR, "/", "", "", f"they stop at: {quoted(error)}", "fix that first")
    said.take()
    for error in sorted(errors, key=order_of):  # their threads end in any order
        name, (prim, attribute) = error.GetName(), error_location(error)
        if (COVERED.get(name), prim) not in told:
            severity = SEVERITIES.get(name) or LEVELS.get(error.GetType().name, Severity.NOTE)
            message = " ".join(error.GetMessage().split()).partition(", prim path: ")[0]
            fix = FIXES_BY_ERROR.get(name, "see the documentation of USD's validators")
            yield Finding(rule_id(name), severity, prim, attribute, "", message, fix, edits=edits(case, name, prim))


def rule_id(name: str) -> str:
    """Return `usd-` and the validator's error name in kebab-case."""
    return "usd-" + re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def order_of(error: UsdValidation.ValidationError) -> tuple[str, ...]:
    """Return what errors are sorted by: name, prim, attribute, message."""
    return (error.GetName(), *error_location(error), error.GetMessage())


def error_location(error: UsdValidation.ValidationError) -> tuple[str, str]:
    """Return prim and attribute of a validator error; the stage is "/"."""
    for site in error.GetSites():
        if site.IsProperty():
            return str(site.GetProperty().GetPrim().GetPath()), site.GetProperty().GetName()
        if site.IsPrim():
            return str(site.GetPrim().GetPath()), ""
    return "/", ""


def edits(case: CheckContext, name: str, prim: str) -> tuple[Edit, ...]:
    """Return edits with the body's principal axes where only the moments are authored."""
    if name != "InertiaInvalidValues":
        return ()
    moments, axes = (case.authored(prim, f"physics:{word}") for word in ("diagonalInertia", "principalAxes"))
    if axes is not None or moments is None or min(moments) <= 0.0:
        return ()
    return (Edit("attribute", prim, "physics:principalAxes", Gf.Quatf(1.0)),)
