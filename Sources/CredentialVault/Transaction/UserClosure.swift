import VaultModel

/// A closure that a user of the library wrote, called somewhere below functions that throw only
/// ``VaultError``.
///
/// The closure's error leaves ``within(_:)`` unchanged. On the way the functions see
/// ``VaultError/Code/interrupted`` and undo their changes.
final class UserClosure {
  private var error: (any Error)?

  /// Runs `body`, which calls the closure by ``call(_:)``.
  static func within<R>(_ body: (UserClosure) throws(VaultError) -> R) throws -> R {
    let closure = UserClosure()
    do throws(VaultError) {
      return try body(closure)
    } catch {
      // An error of the vault's own, met while its changes were undone, is the graver one.
      throw error.code == .interrupted ? closure.error ?? error : error
    }
  }

  func call<R>(_ closure: () throws -> R) throws(VaultError) -> R {
    // The first of two attempts may have thrown: its file was exchanged.
    error = nil
    do {
      return try closure()
    } catch let error as VaultError {
      throw error
    } catch {
      self.error = error
      throw VaultError(.interrupted, "a closure threw \(type(of: error))")
    }
  }
}
