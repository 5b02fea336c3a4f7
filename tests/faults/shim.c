/* Fails, or kills the process, at the Nth call that writes below a folder.
 *
 * A seccomp filter turns every such system call into a SIGSYS, whoever makes it: libc, its stdio, Rust with
 * its own system calls. (LD_PRELOAD would miss the last two.) The handler numbers the call, decides, and
 * makes it itself from `plain`, the one place that the filter lets through. The numbers lie in shared
 * memory, where the parent of a killed process reads them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLS 16384
#define WHAT 120
#define FOLDER 1024

enum kind { COUNT, ENOSPC_, EIO_, EINTR_, SHORT, KILL, TORN, CUT, FULL, BROKEN, INODES };

struct state {
    int kind, at, calls, hit;
    char home[FOLDER], shadow[FOLDER], only[WHAT];
    char what[CALLS][WHAT]; /* of each call: its name and path */
};

static struct state *S;

/* -- a system call that the filter lets through ---------------------------------------------------- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
__asm__(".text\n.globl plain\nplain:\n mov %rdi,%rax\n mov %rsi,%rdi\n mov %rdx,%rsi\n mov %rcx,%rdx\n"
        " mov %r8,%r10\n mov %r9,%r8\n mov 8(%rsp),%r9\n syscall\n ret\n.globl plain_end\nplain_end:\n");
#define ARG(c, n) ((c)->uc_mcontext.gregs[(const int[]){REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9}[n]])
#define RESULT(c) ((c)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
__asm__(".text\n.globl plain\nplain:\n mov x8,x0\n mov x0,x1\n mov x1,x2\n mov x2,x3\n mov x3,x4\n"
        " mov x4,x5\n mov x5,x6\n svc #0\n ret\n.globl plain_end\nplain_end:\n");
#define ARG(c, n) ((c)->uc_mcontext.regs[n])
#define RESULT(c) ((c)->uc_mcontext.regs[0])
#else
#error "written for x86-64 and ARM64"
#endif
extern long plain(long number, long a, long b, long c, long d, long e, long f);
extern char plain_end[];

/* -- what is looked at ----------------------------------------------------------------------------- */

enum form { WRITE, SYNC, OPEN, MAKE, RENAME, REMOVE, SIZE };
/* fd: argument that is a descriptor, or -1; dir, path: arguments that name a file, or -1; size: of bytes */
static const struct call { int number; const char *name; enum form form; int fd, dir, path, size; } CALLED[] = {
    {SYS_write, "write", WRITE, 0, -1, -1, 2},
    {SYS_pwrite64, "pwrite", WRITE, 0, -1, -1, 2},
    {SYS_writev, "writev", WRITE, 0, -1, -1, -1},
    {SYS_pwritev, "pwritev", WRITE, 0, -1, -1, -1},
    {SYS_pwritev2, "pwritev2", WRITE, 0, -1, -1, -1},
    {SYS_sendfile, "sendfile", WRITE, 0, -1, -1, 3},
    {SYS_copy_file_range, "copy_file_range", WRITE, 2, -1, -1, 4},
    {SYS_fsync, "fsync", SYNC, 0, -1, -1, -1},
    {SYS_fdatasync, "fdatasync", SYNC, 0, -1, -1, -1},
    {SYS_openat, "open", OPEN, -1, 0, 1, -1},
    {SYS_mkdirat, "mkdir", MAKE, -1, 0, 1, -1},
    {SYS_linkat, "link", MAKE, -1, 2, 3, -1},
    {SYS_symlinkat, "symlink", MAKE, -1, 1, 2, -1},
    {SYS_renameat2, "rename", RENAME, -1, 2, 3, -1},
    {SYS_unlinkat, "unlink", REMOVE, -1, 0, 1, -1},
    {SYS_ftruncate, "truncate", SIZE, 0, -1, -1, 1},
    {SYS_fallocate, "fallocate", SIZE, 0, -1, -1, -1},
#ifdef SYS_renameat
    {SYS_renameat, "rename", RENAME, -1, 2, 3, -1},
#endif
#ifdef SYS_open /* the older names, which ARM64 never had */
    {SYS_open, "open", OPEN, -1, -1, 0, -1},
    {SYS_mkdir, "mkdir", MAKE, -1, -1, 0, -1},
    {SYS_link, "link", MAKE, -1, -1, 1, -1},
    {SYS_symlink, "symlink", MAKE, -1, -1, 1, -1},
    {SYS_rename, "rename", RENAME, -1, -1, 1, -1},
    {SYS_unlink, "unlink", REMOVE, -1, -1, 0, -1},
    {SYS_rmdir, "unlink", REMOVE, -1, -1, 0, -1},
#endif
};
#define KINDS ((int)(sizeof CALLED / sizeof *CALLED))
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static long open_(const char *path, long flags) { return plain(SYS_openat, AT_FDCWD, (long)path, flags, 0600, 0, 0); }
static void close_(long file) { plain(SYS_close, file, 0, 0, 0, 0, 0); }

static int link_of(char *into, const char *pattern, int number) {
    char link[64];
    snprintf(link, sizeof link, pattern, number);
    long size = plain(SYS_readlinkat, AT_FDCWD, (long)link, (long)into, PATH_MAX - 1, 0, 0);
    into[size > 0 ? size : 0] = 0;
    return size > 0;
}

/* Where a call writes; false when that cannot be said. */
static int place(const struct call *call, const long *args, char *into) {
    if (call->fd >= 0) return link_of(into, "/proc/self/fd/%d", (int)args[call->fd]);
    const char *path = (const char *)args[call->path];
    if (*path == '/') return snprintf(into, PATH_MAX, "%s", path) > 0;
    int dir = call->dir < 0 ? AT_FDCWD : (int)args[call->dir];
    if (!(dir == AT_FDCWD ? link_of(into, "/proc/self/cwd", 0) : link_of(into, "/proc/self/fd/%d", dir))) return 0;
    size_t length = strlen(into);
    return snprintf(into + length, PATH_MAX - length, "/%s", path) > 0;
}

static int below(const char *path) {
    size_t length = strlen(S->home);
    return !strncmp(path, S->home, length) && (path[length] == '/' || !path[length]);
}

static int exists(const char *path) { return plain(SYS_faccessat, AT_FDCWD, (long)path, F_OK, 0, 0, 0) == 0; }

/* -- what survives a power cut --------------------------------------------------------------------- */

static void shadow_of(long file, char *into) {
    struct stat stat = {0};
    plain(SYS_fstat, file, (long)&stat, 0, 0, 0, 0);
    snprintf(into, PATH_MAX, "%s/%lu", S->shadow, (unsigned long)stat.st_ino);
}

/* The shadow of a file becomes what the file now is, or empty. */
static void shade(const char *path, int with_content) {
    char shadow[PATH_MAX];
    long from = open_(path, O_RDONLY);
    if (from < 0) return;
    shadow_of(from, shadow);
    plain(SYS_unlinkat, AT_FDCWD, (long)shadow, 0, 0, 0, 0); /* it may be a link to what is not ours */
    long to = open_(shadow, O_WRONLY | O_CREAT | O_TRUNC);
    while (with_content && plain(SYS_sendfile, to, from, 0, 1 << 30, 0, 0) > 0) continue;
    close_(to);
    close_(from);
}

static void shade_size(long file, long size) {
    char shadow[PATH_MAX];
    shadow_of(file, shadow);
    plain(SYS_truncate, (long)shadow, size, 0, 0, 0, 0);
}

/* -- the call -------------------------------------------------------------------------------------- */

static long perform(const struct call *call, long number, const long *args, const char *path) {
    int fresh = call->form == OPEN && *S->shadow && !exists(path);
    long result = plain(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (!*S->shadow || result < 0) return result;
    long flags = number == SYS_openat ? args[2] : call->form == OPEN ? args[1] : 0;
    if (call->form == SYNC) shade(path, 1);
    if (call->form == OPEN && (fresh || flags & O_TRUNC)) shade(path, 0);
    if (number == SYS_ftruncate) shade_size(args[0], args[1]);
    return result;
}

static long half(const struct call *call, long number, const long *args, const char *path) {
    long less[6];
    memcpy(less, args, sizeof less);
    if (call->form == WRITE && call->size < 0) less[2] = 1; /* a vector: its first part */
    if (call->form == WRITE && call->size >= 0) less[call->size] = (args[call->size] + 1) / 2;
    return perform(call, number, less, path);
}

static void die(void) {
    plain(SYS_kill, getpid(), SIGKILL, 0, 0, 0, 0);
    for (;;) plain(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

static int makes(const struct call *call, const long *args, const char *path) {
    long flags = call->number == SYS_openat ? args[2] : args[1];
    return call->form == MAKE || (call->form == OPEN && flags & O_CREAT && !exists(path));
}

static int takes_room(const struct call *call, const long *args, const char *path) {
    return call->form == WRITE || call->form == SYNC || call->number == SYS_fallocate || makes(call, args, path);
}

static long hit(long result) {
    S->hit++;
    return result;
}

static long decide(const struct call *call, long number, const long *args, const char *path) {
    char text[WHAT];
    long bytes = call->form == WRITE && call->size >= 0 ? args[call->size] : 0;
    snprintf(text, WHAT, "%s %s %ld", call->name, path + strlen(S->home), bytes);
    if (!strstr(text, S->only)) return perform(call, number, args, path);
    int mine = __atomic_add_fetch(&S->calls, 1, __ATOMIC_SEQ_CST);
    if (mine <= CALLS) memcpy(S->what[mine - 1], text, WHAT);
    int now = mine == S->at, on = mine >= S->at;
    switch (S->kind) {
    case ENOSPC_: if (now && takes_room(call, args, path)) return hit(-ENOSPC); break;
    case EIO_: if (now) return hit(-EIO); break;
    case EINTR_: if (now && call->form <= OPEN) return hit(-EINTR); break;
    case SHORT: if (now && call->form == WRITE) return hit(half(call, number, args, path)); break;
    case KILL: case CUT: if (now) { hit(0); die(); } break;
    case TORN: if (now) { hit(half(call, number, args, path)); die(); } break;
    case FULL: if (on && takes_room(call, args, path)) return hit(-ENOSPC); break;
    case BROKEN: if (on) return hit(-EIO); break;
    case INODES: if (on && makes(call, args, path)) return hit(-ENOSPC); break;
    }
    return perform(call, number, args, path);
}

static void trapped(int signal, siginfo_t *info, void *context) {
    (void)signal;
    ucontext_t *c = context;
    int before = errno;
    long args[6], number = info->si_syscall;
    for (int i = 0; i < 6; i++) args[i] = (long)ARG(c, i);
    const struct call *call = CALLED;
    while (call->number != number) call++;
    char path[PATH_MAX];
    RESULT(c) = place(call, args, path) && below(path)
        ? decide(call, number, args, path)
        : plain(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    errno = before;
}

/* -- for the harness ------------------------------------------------------------------------------- */

/* The shared memory, before anything is forked; null where there is none. */
struct state *prepare(void) {
    void *memory = mmap(0, sizeof *S, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    S = memory == MAP_FAILED ? 0 : memory;
    return S;
}

void aim(const char *home, const char *shadow, int kind, int at, const char *only) {
    snprintf(S->only, WHAT, "%s", only);
    snprintf(S->home, FOLDER, "%s", home);
    snprintf(S->shadow, FOLDER, "%s", shadow);
    S->kind = kind;
    S->at = at;
    S->calls = S->hit = 0;
}

const char *what(int call) { return call > 0 && call <= CALLS ? S->what[call - 1] : ""; }
int calls(void) { return S->calls; }
int hits(void) { return S->hit; }

/* From now on, for this process and all its threads; 0, or the error that the system gave. */
int arm(void) {
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSYS, &action, 0);
    unsigned long start = (unsigned long)plain, end = (unsigned long)plain_end;
    if (start >> 32 != end >> 32) return ERANGE;
    struct sock_filter filter[16 + 6 * KINDS];
    int n = 0;
#define LOAD(field) filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define TEST(how, value, yes, no) filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | how | BPF_K, (unsigned)(value), yes, no)
#define RETURN(value) filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value)
    LOAD(arch);
    TEST(BPF_JEQ, ARCH, 1, 0);
    RETURN(SECCOMP_RET_ALLOW);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
    TEST(BPF_JEQ, start >> 32, 0, 4);
    LOAD(instruction_pointer);
    TEST(BPF_JGE, start, 0, 2);
    TEST(BPF_JGT, end, 1, 0);
    RETURN(SECCOMP_RET_ALLOW);
    LOAD(nr);
    for (int i = 0; i < KINDS; i++) {
        int flags = CALLED[i].number == SYS_openat ? 2 : CALLED[i].form == OPEN ? 1 : -1;
        TEST(BPF_JEQ, CALLED[i].number, 0, flags < 0 ? 1 : 4);
        if (flags >= 0) { /* an open that only reads passes */
            LOAD(args[flags]);
            TEST(BPF_JSET, WRITING, 1, 0);
            RETURN(SECCOMP_RET_ALLOW);
        }
        RETURN(SECCOMP_RET_TRAP);
    }
    RETURN(SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return errno;
    return plain(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, (long)&program, 0, 0, 0) ? EPERM : 0;
}
