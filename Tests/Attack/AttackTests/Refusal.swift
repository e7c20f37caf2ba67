import Testing
import VaultModel

/// Expects that a call fails with this code.
func refuses<R>(
  _ code: VaultError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () throws -> R
) {
  let error = #expect(throws: VaultError.self, sourceLocation: sourceLocation) { _ = try body() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
