import Glibc
package import VaultModel

/// A folder as a lock, which a killed process releases.
package enum FolderLock {
  /// Runs `body` while no other process does so for the same folder.
  ///
  /// - Parameters:
  ///   - path: The folder; a symbolic link is refused.
  ///   - timeout: How long to wait for others.
  ///   - body: The work.
  /// - Returns: The result of `body`.
  /// - Throws: ``VaultError/Code/busy`` after the timeout; ``VaultError/Code/interrupted`` if the
  ///   task is cancelled while it waits; the errors of `body`.
  package static func with<R>(
    _ path: String, timeout: Duration, _ body: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw Posix.failure(path) }
    // Closing the only descriptor releases the lock.
    defer { close(descriptor) }
    let wait = BusyWait(timeout: timeout)
    var attempt = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw Posix.failure(path, .inputOutput)
      }
      guard wait.wait(attempt: attempt) else {
        throw wait.isCancelled
          ? .cancelled : VaultError(.busy, "another process holds the lock of \(path)")
      }
      attempt += 1
    }
    return try body()
  }
}
