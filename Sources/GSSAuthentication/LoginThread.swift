import CVaultGSS
import Dispatch

/// Threads for calls that block while a KDC is asked, perhaps for many seconds.
package enum LoginThread {
  private static let queue = DispatchQueue(
    label: "vault.login", attributes: .concurrent)

  /// Runs `body` where it holds up no task.
  package static func run<R: Sendable, E: Error>(
    _ body: @escaping @Sendable () throws(E) -> R
  ) async throws(E) -> R {
    let result: Result<R, E> = await withCheckedContinuation { continuation in
      queue.async {
        // Locales of the C library's, which this thread of a pool gets back.
        let locale = unsafe vault_gss_speak_english()
        defer { unsafe vault_gss_speak(locale) }
        do throws(E) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}
