import SecureMemory
import VaultModel

/// The process in which the library was first used.
///
/// In a child that `fork` made, locks held by other threads stay locked, so no call there may wait
/// for one.
enum HomeProcess {
  private static let canary = ForkCanary()

  /// Whether this is a forked child of the process that first used the library.
  static var wasLeft: Bool { canary.isForkedChild }

  /// Checks that this is not a forked child.
  ///
  /// - Throws: ``VaultError/Code/locked`` in a forked child.
  static func require() throws(VaultError) {
    guard !wasLeft else {
      throw VaultError(.locked, "this process was forked from one that used the library")
    }
  }
}
