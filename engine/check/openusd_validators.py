"""What USD's own validators say: its core, its geometry's metadata left out, and its physics."""

import re
from collections.abc import Iterable, Iterator

from pxr import Gf, Tf, UsdValidation

from ..usd.kinds import quoted
from ..usd.stage import Diagnostics
from .context import CheckContext
from .finding import Edit, Finding, Severity

KEYWORDS = ("UsdCoreValidators", "UsdPhysicsValidators")
SEVERITIES = {  # what fajin simulates all the same, and other tools may refuse
    "InertiaInvalidValues": Severity.WARNING,
    "AttributeTypeMismatch": Severity.WARNING,
    "MissingDefaultPrim": Severity.WARNING,
}
LEVELS = {"Error": Severity.ERROR, "Warn": Severity.WARNING}
FIXES_BY_ERROR = {
    "InertiaInvalidValues": "author positive physics:diagonalInertia and physics:principalAxes, or neither",
    "AttributeTypeMismatch": "author the attribute in the type of its schema",
    "MissingDefaultPrim": "author defaultPrim",
    "CompositionError": "mend the path, or take the reference out",
}
COVERED = {  # what a rule of fajin's tells of the same prim, with more to say
    "JointInvalidPrimRel": "joint-to-nowhere",
    "JointNoEnabledRigidBody": "joint-to-nowhere",
    "JointRelNotXformable": "joint-to-nowhere",
    "InertiaInvalidValues": "inertia-not-physical",
    "MassInvalidValues": "invalid-value",
    "DensityInvalidValues": "invalid-value",
}


def validated(case: CheckContext, before: Iterable[Finding]) -> Iterator[Finding]:
    """A finding for each error of a validator that no finding `before` covers."""
    told = {(finding.rule, finding.prim) for finding in before}
    registry = UsdValidation.ValidationRegistry()
    named = [data.name for data in registry.GetAllValidatorMetadata() if set(data.GetKeywords()) & set(KEYWORDS)]
    said = Diagnostics()  # validators also print
    context = UsdValidation.ValidationContext([registry.GetOrLoadValidatorByName(name) for name in named])
    try:
        errors = context.Validate(case.stage)
    except Tf.ErrorException as error:
        errors = ()
        yield Finding(
            "usd-validators", Severity.ERROR, "/", "", "", f"they stop at: {quoted(error)}", "mend that first"
        )
    said.take()
    for error in errors:
        name, (prim, attribute) = error.GetName(), error_location(error)
        if (COVERED.get(name), prim) not in told:
            severity = SEVERITIES.get(name) or LEVELS.get(error.GetType().name, Severity.NOTE)
            message = " ".join(error.GetMessage().split()).partition(", prim path: ")[0]
            mend = FIXES_BY_ERROR.get(name, "see the documentation of USD's validators")
            yield Finding(rule_id(name), severity, prim, attribute, "", message, mend, edits(case, name, prim))


def rule_id(name: str) -> str:
    """`usd-` and the validator's word in kebab-case."""
    return "usd-" + re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def error_location(error: UsdValidation.ValidationError) -> tuple[str, str]:
    """Prim and attribute where a validator found something; the stage is "/"."""
    for site in error.GetSites():
        if site.IsProperty():
            return str(site.GetProperty().GetPrim().GetPath()), site.GetProperty().GetName()
        if site.IsPrim():
            return str(site.GetPrim().GetPath()), ""
    return "/", ""


def edits(case: CheckContext, name: str, prim: str) -> tuple[Edit, ...]:
    """Principal axes where only the moments are authored: those of the body, as everyone reads it."""
    if name != "InertiaInvalidValues":
        return ()
    moments, axes = (case.authored(prim, f"physics:{word}") for word in ("diagonalInertia", "principalAxes"))
    if axes is not None or moments is None or min(moments) <= 0.0:
        return ()
    return (Edit("attribute", prim, "physics:principalAxes", Gf.Quatf(1.0)),)
