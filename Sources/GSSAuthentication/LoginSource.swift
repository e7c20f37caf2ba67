package import SecureMemory
import VaultModel

/// The source of a login's credential.
package enum LoginSource: Sendable {
  /// The user's own tickets, as `kinit` has got them.
  case tickets
  /// A password, for which the KDC is asked once; no ticket is written anywhere.
  case password(user: String, Secret)
  /// A keytab; its first principal if the user is empty.
  ///
  /// Its tickets are kept in this process's memory.
  case keytab(user: String, Secret)
}
