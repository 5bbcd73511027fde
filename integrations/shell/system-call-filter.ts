/**
 * A filter on system calls for bubblewrap (`--seccomp`), as the kernel's classic BPF.
 *
 * Namespaces do not part everything: the keyring of the session the gateway was started in goes
 * along into a cage, and some calls have been ways out of one again and again while no ordinary
 * command needs them. These answer EPERM; everything else passes.
 */
export function systemCallFilter(architecture: string = process.arch): Uint8Array | undefined {
  const kinds = ARCHITECTURES[architecture];
  return kinds === undefined ? undefined : assemble(kinds);
}

interface CallNumbers {
  /** What the kernel says a call was made as (AUDIT_ARCH_…). */
  readonly audit: number;
  readonly refused: readonly number[];
  /** Calls from this number on are another kind of call on the same processor, and refused whole. */
  readonly from?: number;
}

/*
 * In order: add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring_setup, kexec_load,
 * kexec_file_load (not on i386), init_module, finit_module, delete_module, open_by_handle_at.
 * From the kernel's tables, arch/x86/entry/syscalls/syscall_{64,32}.tbl, include/uapi/asm-generic/unistd.h
 * and arch/arm/tools/syscall.tbl.
 */
const X86_64: CallNumbers = {
  audit: 0xc000_003e,
  refused: [248, 249, 250, 321, 298, 323, 425, 246, 320, 175, 313, 176, 304],
  // The x32 variants.
  from: 0x4000_0000,
};
const I386: CallNumbers = {
  audit: 0x4000_0003,
  refused: [286, 287, 288, 357, 336, 374, 425, 283, 128, 350, 129, 342],
};
const AARCH64: CallNumbers = {
  audit: 0xc000_00b7,
  refused: [217, 218, 219, 280, 241, 282, 425, 104, 294, 105, 273, 106, 265],
};
const ARM: CallNumbers = {
  audit: 0x4000_0028,
  refused: [309, 310, 311, 386, 364, 388, 425, 347, 401, 128, 379, 129, 371],
};

/** The kinds of calls that a processor knows, by Node's name for it. */
const ARCHITECTURES: Readonly<Record<string, readonly CallNumbers[]>> = {
  x64: [X86_64, I386],
  arm64: [AARCH64, ARM],
};

const LOAD_WORD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ALLOW = 0x7fff_0000;
const EPERM = 0x0005_0001;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A call of a kind that is not listed could be any call under another number: it is refused. */
function assemble(kinds: readonly CallNumbers[]): Uint8Array {
  const program: Instruction[] = [[LOAD_WORD, 0, 0, ARCHITECTURE_AT]];
  for (const kind of kinds) {
    const body = bodyOf(kind);
    program.push([JUMP_IF_EQUAL, 0, body.length, kind.audit], ...body);
  }
  program.push([RETURN, 0, 0, EPERM]);
  const bytes = new DataView(new ArrayBuffer(8 * program.length));
  for (const [i, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(8 * i, code, true);
    bytes.setUint8(8 * i + 2, ifTrue);
    bytes.setUint8(8 * i + 3, ifFalse);
    bytes.setUint32(8 * i + 4, value, true);
  }
  return new Uint8Array(bytes.buffer);
}

function bodyOf({ refused, from }: CallNumbers): Instruction[] {
  const tests: (readonly [code: number, value: number])[] = [
    ...(from === undefined ? [] : [[JUMP_IF_AT_LEAST, from] as const]),
    ...refused.map((number) => [JUMP_IF_EQUAL, number] as const),
  ];
  // Each test that fits jumps over those behind it and over the return that allows.
  return [
    [LOAD_WORD, 0, 0, NUMBER_AT],
    ...tests.map(([code, value], i): Instruction => [code, tests.length - i, 0, value]),
    [RETURN, 0, 0, ALLOW],
    [RETURN, 0, 0, EPERM],
  ];
}
