import FoundationNetworking
import SecureMemory
import VaultModel

/// Foundation's objects for the listed spaces, the same object for a space in every listing.
///
/// `URLProtectionSpace` compares by identity on Linux, so a dictionary of them can be accessed only
/// with its own keys.
final class InternedSpaces: Sendable {
  private let objects = Lock<[ProtectionSpace: URLProtectionSpace]>([:])

  /// Returns the objects of some spaces, and forgets all others, so that there are never more than
  /// are listed.
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
