import CForkSupport
import Glibc

/// Runs `body` in a forked child, which ends with it, or after a while if it hangs.
///
/// - Returns: Whether `body` returned true.
public func isTrueInForkedChild(_ body: () -> Bool) -> Bool {
  let child = fork_by_library()
  if child == 0 {
    end_after(120)
    _exit(body() ? 0 : 1)
  }
  var status: Int32 = 0
  // `status` is a local variable.
  return unsafe waitpid(child, &status, 0) == child && status == 0
}
