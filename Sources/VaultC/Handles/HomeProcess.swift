import SecureMemory
import VaultModel

/// The process that the library works in.
///
/// In a child that `fork` made of it the locks stay taken that other threads had, so no call there may wait for one.
enum HomeProcess {
  private static let canary = ForkCanary()

  /// Whether this is a forked child of the process that used the library first.
  static var wasLeft: Bool { canary.isForkedChild }

  /// - Throws: ``VaultError/Code/locked`` in a forked child.
  static func require() throws(VaultError) {
    guard !wasLeft else {
      throw VaultError(.locked, "this process was forked from one that used the library")
    }
  }
}
