"""What LLVM reads of a kernel: arguments loaded once, arrays that are distinct, indices that do not overflow."""

import re

import pytest

from fajin.compiler.machine_code import PACK_BYTES, native_target, optimise, runs_machine_code
from fajin.compiler.representation import MASKS, rewrite
from fajin.tables.reach import PACKED_ELEMENTS, TILED_ELEMENTS

CONTEXT = "%struct.RuntimeContext = type { i8*, %struct.LLVMRuntime*, i32, i64* }\n%struct.LLVMRuntime = type { i8* }\n"
ARGUMENTS = "{ { { i32 }, float* }, { { i32 }, float* }, i32 }"


def load(array: int, first: int) -> str:
    """Lines by which Taichi loads the address of an array; they define %first to %(first + 4)."""
    return f"""  %{first} = getelementptr %struct.RuntimeContext, %struct.RuntimeContext* %0, i32 0, i32 0
  %{first + 1} = bitcast i8** %{first} to {ARGUMENTS}**
  %{first + 2} = load {ARGUMENTS}*, {ARGUMENTS}** %{first + 1}, align 8
  %{first + 3} = getelementptr {ARGUMENTS}, {ARGUMENTS}* %{first + 2}, i32 0, i32 {array}, i32 1
  %{first + 4} = load float*, float** %{first + 3}, align 8
"""


def kernel(body: str) -> str:
    """Module of a kernel whose loop has this body, which begins with %3."""
    context = "%struct.RuntimeContext*"
    launcher = f"define void @kernel({context} %context) {{\n  call void @cpu_parallel_range_for()\n  ret void\n}}\n"
    loop = f"define internal void @function_body({context} %0, i8* %1, i32 %2) {{\nallocs:\n{body}  ret void\n}}\n"
    return CONTEXT + launcher + loop + "declare void @cpu_parallel_range_for()\n"


# a[i + 3] = 1; b[i] = a[i + 3] + a[i + 4], where i is masked
SUM = kernel(
    f"  %3 = and i32 %2{MASKS[0]}\n  %4 = add i32 %3, 3\n"
    + load(0, 5)
    + "  %10 = sext i32 %4 to i64\n  %11 = getelementptr float, float* %9, i64 %10\n"
    + "  store float 1.0, float* %11, align 4\n"
    + load(0, 12)
    + "  %17 = getelementptr float, float* %16, i32 %4\n  %18 = load float, float* %17, align 4\n"
    + load(1, 19)
    + "  %24 = getelementptr float, float* %23, i32 %3\n  store float %18, float* %24, align 4\n"
    + "  %25 = add i32 %4, 1\n  %26 = getelementptr float, float* %16, i32 %25\n"
    + "  %27 = load float, float* %26, align 4\n"
    + "  %28 = fadd float %18, %27\n  store float %28, float* %24, align 4\n"
)


def test_arguments_are_loaded_once():
    text = rewrite(SUM)
    assert SUM.count("load float*") == 3
    assert re.findall(r"(%\w+) = load float\*, float\*\* (%\w+)", text) == [
        ("%argument4", "%argument3"), ("%argument6", "%argument5")
    ]  # fmt: skip
    assert "@cpu_parallel_range_for" not in text


def test_indices_are_sums_of_64_bits_that_do_not_overflow():
    text = rewrite(SUM)
    assert (f", {PACKED_ELEMENTS - 1}", f", {TILED_ELEMENTS - 1}") == MASKS
    assert MASKS[0] not in text
    assert rewrite(SUM.replace(*MASKS)) == text
    assert "%v4.wide = add nsw i64 %v2.wide, 3" in text
    assert "%v25.wide = add nsw i64 %v4.wide, 1" in text
    assert "%v2.wide = sext i32 %v2 to i64" in text.split("allocs:\n")[1].split("\n")[0]
    assert text.count("sext i32") == 1


def test_numbers_of_packs_keep_their_constants():
    """Whose type is written before each of them."""
    line = "  %3 = mul <2 x i64> <i64 5, i64 6>, <i64 7, i64 8>\n"
    assert line.replace("%3", "%v3") in rewrite(kernel(line))


def test_index_0_of_a_first_axis_is_not_added():
    """Taichi adds its product with the axis's length, of array[0, i] to i."""
    axis = "  %3 = mul i32 0, %2\n  %4 = add i32 %3, %2\n"
    text = rewrite(kernel(axis + load(0, 5) + "  %10 = getelementptr float, float* %9, i32 %4\n"))
    assert "getelementptr float, float* %argument4, i64 %v2.wide" in text
    assert not re.findall(r" (?:mul|add) ", text)


def test_structures_of_arguments_are_written_once():
    assert rewrite(SUM).count(ARGUMENTS) == 1


def test_accesses_name_the_array_and_all_others():
    text = rewrite(SUM)
    marks = re.findall(r"align 4, !alias.scope !(\d+), !noalias !(\d+)", text)
    assert len(marks) == 5
    assert len(set(marks)) == 2
    lists = dict(re.findall(r"(?m)^!(\d+) = !\{(!\d+)\}$", text))
    (own_a, others_a), (own_b, others_b) = dict.fromkeys(marks)
    assert lists[own_a] == lists[others_b] != lists[own_b] == lists[others_a]


# b[i] = a[i]; b[i + 1] = a[i]
TWICE = kernel(
    load(0, 3)
    + load(1, 8)
    + "  %13 = getelementptr float, float* %7, i32 %2\n  %14 = load float, float* %13, align 4\n"
    + "  %15 = getelementptr float, float* %12, i32 %2\n  store float %14, float* %15, align 4\n"
    + "  %16 = load float, float* %13, align 4\n  %17 = add i32 %2, 1\n"
    + "  %18 = getelementptr float, float* %12, i32 %17\n  store float %16, float* %18, align 4\n"
)


@pytest.mark.skipif(not runs_machine_code(), reason="no llvmlite with LLVM 15")
@pytest.mark.parametrize(("marked", "loads"), [(True, 1), (False, 2)])
def test_a_store_to_an_array_changes_no_other(marked, loads):
    """LLVM reads a[i] once; without the marks it reads it again after b[i] is written."""
    from llvmlite import binding

    text = rewrite(TWICE)
    module = binding.parse_assembly(text if marked else re.sub(r", !alias.scope !\d+, !noalias !\d+", "", text))
    builder, passes = binding.PassManagerBuilder(), binding.ModulePassManager()
    builder.opt_level = 2
    builder.populate(passes)
    passes.run(module)
    (body,) = (str(function) for function in module.functions if function.name == "function_body")
    assert len(re.findall(r"= load float,", body)) == loads


# calls contacts(context), which stands after it and calls nothing
CALLING = kernel("  call void @contacts_0(%struct.RuntimeContext* %0)\n") + (
    "define internal void @contacts_0(%struct.RuntimeContext* %0) {\nallocs:\n  ret void\n}\n"
)


def test_a_module_has_one_function_and_declares_the_others():
    loop, contacts = rewrite(CALLING), rewrite(CALLING, name="contacts")
    declared = "declare void @contacts_0(%struct.RuntimeContext*) nounwind\n"
    assert declared in loop
    assert "define void @function_body(" in loop
    assert "define void @contacts_0(" not in loop
    assert "define void @contacts_0(" in contacts
    assert declared not in contacts
    assert "@function_body(" not in contacts


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "exactly one function_body"),
        (SUM + SUM[SUM.index("define internal") : SUM.index("declare")], "exactly one function_body"),
        (kernel("  call void @taichi_printf(i8* null)\n"), "neither print nor assert"),
    ],
)
def test_kernels_that_need_taichi_at_run_time_are_refused(text, rule):
    with pytest.raises(ValueError, match=rule):
        rewrite(text)


@pytest.mark.skipif(not runs_machine_code(), reason="needs llvmlite")
@pytest.mark.parametrize("stack", [0, PACK_BYTES])
def test_packs_without_a_register_lie_in_one_line_of_the_cache(stack):
    """LLVM writes "movup", not "movap", where it does not know that they do."""
    from llvmlite import binding

    pack, packs = "<16 x float>", range(80)
    lines = [f"%8 = bitcast float* %7 to {pack}*"]
    lines += [f"%{9 + i} = getelementptr {pack}, {pack}* %8, i32 {i}" for i in packs]
    lines += [f"%{89 + i} = load {pack}, {pack}* %{9 + i}, align 64" for i in packs]
    lines += [f"%{169 + i} = fadd {pack} %{89 + i}, %{168 + i if i else 89}" for i in packs]
    lines += [f"%{249 + i} = fmul {pack} %{89 + i}, %248" for i in packs]  # all packs once more: too many for registers
    lines += [f"store {pack} %{249 + i}, {pack}* %{9 + i}, align 64" for i in packs]
    body = load(0, 3) + "".join(f"  {line}\n" for line in lines)
    target = native_target()
    module = binding.parse_assembly(rewrite(kernel(body), stack=stack))
    optimise(module, target, packs=True)
    kept = re.findall(r"mov([au])p[sd]\s.*\(%rsp\)", target.emit_assembly(module))
    assert len(kept) > 40
    assert ("u" in kept) == (not stack)
