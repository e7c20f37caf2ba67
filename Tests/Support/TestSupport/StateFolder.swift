import Glibc

/// The state folder of tests, so that records of their vaults are not among the user's own.
package enum StateFolder {
  /// Gives this process a state folder of its own, once: changing the environment is not safe
  /// beside readers of it.
  package static func useOwn() {
    _ = folder
  }

  private static let folder: TemporaryFolder? = {
    let folder = try? TemporaryFolder()
    // setenv copies both strings.
    unsafe setenv("XDG_STATE_HOME", folder?.path ?? "", 1)
    return folder
  }()
}
