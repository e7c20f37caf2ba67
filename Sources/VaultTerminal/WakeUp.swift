import CProcess
import Glibc
package import VaultModel

/// A handle that ends a prompt from another thread.
package final class WakeUp: Sendable {
  private let descriptor: Int32

  /// Creates a handle.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the process has no descriptor left.
  package init() throws(VaultError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard descriptor >= 0 else {
      throw VaultError(.unavailable, "the terminal", underlying: .errno(errno))
    }
  }

  deinit { close(descriptor) }

  /// Ends the current prompt, and every later one.
  package func wake() {
    var one: UInt64 = 1
    // Eight bytes of ours. It can only fail if it was done 2^64 - 2 times before.
    _ = unsafe write(descriptor, &one, 8)
  }

  /// Waits until the input can be read.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` if it was woken, before or during the wait.
  func wait(for input: Int32) throws(VaultError) {
    var events = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
    ]
    // The array has two elements.
    while unsafe poll(&events, 2, -1) < 0 {
      guard errno == EINTR else {
        throw VaultError(.inputOutput, "the terminal", underlying: .errno(errno))
      }
    }
    guard events[0].revents == 0 else { throw VaultError(.interrupted, "nobody waits any more") }
  }
}
