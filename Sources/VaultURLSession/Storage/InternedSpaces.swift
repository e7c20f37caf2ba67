import FoundationNetworking
import SecureMemory
import VaultModel

/// One object of Foundation's for each space that is listed, the same at every listing.
///
/// `URLProtectionSpace` compares by identity on Linux, so a dictionary of them can be asked only with its own keys.
final class InternedSpaces: Sendable {
  private let objects = Lock<[ProtectionSpace: URLProtectionSpace]>([:])

  /// The objects of some spaces; those of all others are forgotten, so that there are never more than are listed.
  func objects(
    for spaces: some Collection<ProtectionSpace>
  ) -> [ProtectionSpace: URLProtectionSpace] {
    objects.withLock { objects in
      var listed: [ProtectionSpace: URLProtectionSpace] = [:]
      for space in spaces { listed[space] = objects[space] ?? URLProtectionSpace(space) }
      objects = listed
      return listed
    }
  }
}
