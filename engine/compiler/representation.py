"""Rewrite LLVM's representation of a kernel, as Taichi writes it, so that LLVM knows what Taichi knows.

    arguments         are loaded once, where a function begins; Taichi loads an array's address at every access
    arrays            are distinct: a store to one changes no other (alias.scope, noalias). So a caller passes an
                      array twice only where the kernel leaves one of the two arguments alone
    whole numbers     do not overflow (nsw): constants in indices become parts of addresses; indices have 64 bits on a
                      CPU, and 32 bits on a GPU, which computes with 64 bits in two instructions
    the stack         is aligned to packs (alignstack): LLVM keeps packs there for which it has no register, and aligns
                      the stack only for what it knows before it assigns registers. So most packs lay across two lines
                      of the cache

The result needs nothing of Taichi's runtime: the few functions of it that kernels call are defined here.
"""

import re
from collections.abc import Iterator
from itertools import count

from ..tables.reach import PACKED_ELEMENTS, TILED_ELEMENTS

LOOP_BODY = "function_body"
"""Taichi's name of the body of a kernel's parallel loop: a function of the context, nothing, and the index."""

MASKS = tuple(f", {elements - 1}" for elements in (PACKED_ELEMENTS, TILED_ELEMENTS))
"""Masks of an index by which `physics.stored` says that the index does not overflow."""

CONTEXT = "%0"
"""Name of the context, the first argument of every function, which holds the address of the arguments."""

RUNTIME = """
define internal i32 @min_i32(i32 %a, i32 %b) alwaysinline {
  %c = icmp slt i32 %a, %b
  %d = select i1 %c, i32 %a, i32 %b
  ret i32 %d
}
define internal i32 @max_i32(i32 %a, i32 %b) alwaysinline {
  %c = icmp sgt i32 %a, %b
  %d = select i1 %c, i32 %a, i32 %b
  ret i32 %d
}
define internal float @abs_f32(float %a) alwaysinline {
  %c = fcmp oge float %a, 0.0
  %n = fneg float %a
  %d = select i1 %c, float %a, float %n
  ret float %d
}
define internal double @abs_f64(double %a) alwaysinline {
  %c = fcmp oge double %a, 0.0
  %n = fneg double %a
  %d = select i1 %c, double %a, double %n
  ret double %d
}
declare float @acosf(float)
define internal float @acos_f32(float %a) alwaysinline {
  %b = call float @acosf(float %a)
  ret float %b
}
declare double @acos(double)
define internal double @acos_f64(double %a) alwaysinline {
  %b = call double @acos(double %a)
  ret double %b
}
define internal %struct.LLVMRuntime* @RuntimeContext_get_runtime(%struct.RuntimeContext* %c) alwaysinline {
  %p = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %c, i32 0, i32 1
  %x = load %struct.LLVMRuntime*, %struct.LLVMRuntime** %p
  ret %struct.LLVMRuntime* %x
}
define internal void @RuntimeContext_set_runtime(%struct.RuntimeContext* %c, %struct.LLVMRuntime* %x) alwaysinline {
  %p = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %c, i32 0, i32 1
  store %struct.LLVMRuntime* %x, %struct.LLVMRuntime** %p
  ret void
}
define internal i64* @RuntimeContext_get_result_buffer(%struct.RuntimeContext* %c) alwaysinline {
  %p = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %c, i32 0, i32 3
  %x = load i64*, i64** %p
  ret i64* %x
}
define internal void @RuntimeContext_set_result_buffer(%struct.RuntimeContext* %c, i64* %x) alwaysinline {
  %p = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %c, i32 0, i32 3
  store i64* %x, i64** %p
  ret void
}
"""
"""Functions of Taichi's runtime that kernels call."""

ARGUMENTS = "%struct.Arguments"
"""Begin of the names of the types of structures of arguments, one for each function."""

FIRST_OFFSET, ZERO = "mul i32 0, ", "0"
"""Begin of the product of index 0 and the length of an axis, and what it is."""

_STRUCTURE = re.compile(r"bitcast i8\*\* %\d+ to ({ .* })\*\*\n")
_NUMBERED = re.compile(r"%(\d+)")
_ADDRESS = re.compile(r"%(?:argument)?\d+")
_VALUE = re.compile(r"%(?:v|argument)\d+")
_DEFINITION = re.compile(r"  (%[\w.]+) = ((\w+) .*)")
_OFFSET = re.compile(r"add i32 (%\d+), (\S+)")
_SUM = re.compile(r"(add|sub|mul) nsw i32 (\S+), (\S+)")
_EXTENSION = re.compile(r"sext i32 (%\w+) to i64")
_ELEMENT = re.compile(r"(  %\w+ = getelementptr \w+, \w+\* %\w+, )i32 (%\w+)")
_CALL = re.compile(r" call [^@]*@([\w.]+)\(")
_ACCESS = re.compile(r"  (?:%\w+ = load|store) .*\* (%\w+), align \d+")


def rewrite(text: str, wide: bool = True, name: str = LOOP_BODY, stack: int = 0) -> str:
    """Return a module with one function, and declarations of those that another module has.

    Args:
        text: module that Taichi has written and not optimised.
        wide: whether indices get 64 bits.
        name: what the name of the function begins with.
        stack: bytes to whose multiple the function aligns its stack; 0: to that of the platform.

    Raises:
        ValueError: the kernel has not exactly one such function, or the function needs Taichi at run time.
    """
    types, text = name_arguments(text)
    head, *parts = re.split(r"(?m)^(?=define )", text)
    functions = [part.partition("\n}\n")[0] for part in parts]
    kept = [function for function in functions if f" @{name}" in function.partition("\n")[0]]
    if len(kept) != 1:
        raise ValueError(f"kernel: must have exactly one {name}")
    own = rewrite_function(kept[0], count(), wide).replace("define internal", "define", 1)
    if stack:
        own = own.replace(" {", f" alignstack({stack}) {{", 1)
    module = "\n".join([RUNTIME, *declarations(own, text), own])
    known = set(re.findall(r"(?m)^(?:define|declare) [^@]*@(\w+)\(", module))
    if {name for name in _CALL.findall(module) if not name.startswith("llvm.")} - known:
        raise ValueError("kernel: must neither print nor assert; run it with FAJIN_DEBUG=1")
    return "\n".join([head, *types, module, *re.findall(r"(?m)^declare [^@]*@llvm\.[^#\n]*", text)])


def name_arguments(text: str) -> tuple[list[str], str]:
    """Return types of structures of arguments, and a module with their names: Taichi writes them out at each access."""
    types = []
    for structure in dict.fromkeys(_STRUCTURE.findall(text)):
        name = f"{ARGUMENTS}{len(types)}"
        types.append(f"{name} = type {structure}")
        text = text.replace(structure, name)
    return types, text


def declarations(function: str, text: str) -> list[str]:
    """Return declarations of the functions of a module that one of them calls: of a context, without a result."""
    defined = set(re.findall(r"(?m)^define [^@]*@(\w+)\(", text))
    called = sorted(defined & set(_CALL.findall(function)))
    return [f"declare void @{name}(%struct.RuntimeContext*) nounwind" for name in called]


def rewrite_function(text: str, numbers: Iterator[int], wide: bool) -> str:
    """Return a function, followed by its metadata, which takes the next numbers."""
    lines = forbid_overflow(load_arguments_once(text.split("\n")))
    lines, metadata = mark_arrays(widen_indices(lines) if wide else lines, numbers)
    return "\n".join([*lines, "}", *metadata])


def load_arguments_once(lines: list[str]) -> list[str]:
    """Return the lines with one load of each argument, where the function begins, and with names of values.

    Addresses begin at the context. They end at the value of an argument, which may be the address of an array. Index 0
    times the length of the first axis is not added to the index on the second.
    """
    addresses, names, loads, kept = {CONTEXT}, {}, {}, []
    for line in lines:
        match = _DEFINITION.match(line)
        if match and match[3] in ("getelementptr", "bitcast", "load"):
            operands = [names.get(operand, operand) for operand in _ADDRESS.findall(match[2])]
            if operands and addresses.issuperset(operands):
                definition = _NUMBERED.sub(lambda number: names.get(number[0], number[0]), match[2])
                name = names[match[1]] = loads.setdefault(definition, f"%argument{len(loads)}")
                if match[3] != "load" or definition.startswith(f"load {ARGUMENTS}"):
                    addresses.add(name)
                continue
        elif match and match[2].startswith(FIRST_OFFSET):
            names[match[1]] = ZERO
            continue
        elif match and (offset := _OFFSET.match(match[2])) and names.get(offset[1]) == ZERO:
            names[match[1]] = names.get(offset[2]) or offset[2].replace("%", "%v")
            continue
        kept.append(line)
    begin = _begin(kept)
    kept[begin:begin] = [f"  {name} = {definition}" for definition, name in loads.items()]
    text = _NUMBERED.sub(lambda number: names.get(number[0]) or f"%v{number[1]}", "\n".join(kept))
    return text.split("\n")


def forbid_overflow(lines: list[str]) -> list[str]:
    """Return the lines with sums and products that do not overflow, and without the masks that say the same."""
    names, kept = {}, []
    for line in lines:
        match = _DEFINITION.match(line)
        if match and match[3] == "and" and line.endswith(MASKS):
            operand = _VALUE.findall(match[2])[0]
            names[match[1]] = names.get(operand, operand)
        elif match and match[3] in ("add", "sub", "mul"):
            kept.append(re.sub(rf"= {match[3]} (i32|i64) ", rf"= {match[3]} nsw \1 ", line))
        else:
            kept.append(line)
    return _renamed("\n".join(kept), names).split("\n")


def widen_indices(lines: list[str]) -> list[str]:
    """Return the lines with indices of 64 bits, computed from 64-bit copies of the numbers on which they depend."""
    defined = {match[1]: match[2] for line in lines if (match := _DEFINITION.match(line))}
    copies: dict[str, str] = {}

    def widened(value: str) -> str:
        """Return the name of the 64-bit copy of a value, or the number itself; write the copy to `copies`."""
        if not value.startswith("%"):
            return value
        if value not in copies:
            match = _SUM.match(defined.get(value, ""))
            wide = (
                f"{match[1]} nsw i64 {widened(match[2])}, {widened(match[3])}" if match else f"sext i32 {value} to i64"
            )
            copies[value] = f"  {value}.wide = {wide}"
        return f"{value}.wide"

    kept = []
    for line in lines:
        match, element = _DEFINITION.match(line), _ELEMENT.match(line)
        if element:
            line = f"{element[1]}i64 {widened(element[2])}"
        elif match and (extension := _EXTENSION.match(match[2])):
            line = f"  {match[1]} = add i64 {widened(extension[1])}, 0"
        kept.append(line)
    begin = _begin(kept)
    kept[begin:begin] = [copy for value, copy in copies.items() if value not in defined]  # arguments of the function
    return [each for line in kept for each in _with_copy(line, copies)]


def _with_copy(line: str, copies: dict[str, str]) -> list[str]:
    """Return a line and, after it, the 64-bit copy of the value that it defines."""
    match = _DEFINITION.match(line)
    return [line, copies[match[1]]] if match and match[1] in copies else [line]


def mark_arrays(lines: list[str], numbers: Iterator[int]) -> tuple[list[str], list[str]]:
    """Return the lines with the array of each access, and the metadata that say that arrays do not overlap."""
    arrays: dict[str, str] = {}  # value → array
    for line in lines:
        match = _DEFINITION.match(line)
        if match and match[1].startswith("%argument") and re.match(r"load \w+\*,", match[2]):
            arrays[match[1]] = match[1]
        elif match and match[3] in ("getelementptr", "bitcast"):
            operand = _VALUE.findall(match[2])[0] if "%" in match[2] else ""
            if operand in arrays:
                arrays[match[1]] = arrays[operand]
    domain = next(numbers)
    metadata = [f"!{domain} = distinct !{{!{domain}}}"]
    scopes = {array: next(numbers) for array in dict.fromkeys(arrays.values())}
    marks = {}
    for array, scope in scopes.items():
        own, others = next(numbers), next(numbers)
        rest = ", ".join(f"!{other}" for other in scopes.values() if other != scope)
        metadata += [f"!{scope} = distinct !{{!{scope}, !{domain}}}"]
        metadata += [f"!{own} = !{{!{scope}}}", f"!{others} = !{{{rest}}}"]
        marks[array] = f", !alias.scope !{own}, !noalias !{others}"
    kept = []
    for line in lines:
        match = _ACCESS.match(line)
        place = match[1] if match else ""
        kept.append(line + marks[arrays[place]] if place in arrays else line)
    return kept, metadata


def _begin(lines: list[str]) -> int:
    """Return the place of the first statement of a function."""
    return next(i for i, line in enumerate(lines) if line.endswith(":")) + 1


def _renamed(text: str, names: dict[str, str]) -> str:
    """Return text with other names of values."""
    return _VALUE.sub(lambda match: names.get(match[0], match[0]), text)
