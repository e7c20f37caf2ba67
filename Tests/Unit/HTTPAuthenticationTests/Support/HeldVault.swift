import CredentialVault
import Glibc
import SecureMemory
import VaultModel

extension Vault {
  /// Runs `body` while a transaction keeps the vault and its thread.
  ///
  /// The transaction ends with `body`, and if the test is cancelled because its time is over.
  func whileHeld<R>(_ body: () async throws -> R) async throws -> R {
    let (isHeld, isOver) = (Lock(false), Lock(false))
    let holding = Task {
      try await write { _ in
        isHeld.withLock { $0 = true }
        while !isOver.withLock(\.self) { usleep(500) }
      }
    }
    while !isHeld.withLock(\.self) { await Task.yield() }
    let result: Result<R, any Error>
    do {
      result = .success(
        try await withTaskCancellationHandler(operation: body) {
          isOver.withLock { $0 = true }
        })
    } catch {
      result = .failure(error)
    }
    isOver.withLock { $0 = true }
    try await holding.value
    return try result.get()
  }
}
