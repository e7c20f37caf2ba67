package import SecureMemory
package import VaultModel

/// What answers a Basic challenge.
package enum BasicResponse {
  /// The value of the `Authorization` field: `Basic` and user and password in base64.
  ///
  /// - Parameter credential: User and password; what is not ASCII is sent in UTF-8.
  /// - Returns: The value.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `password` if it holds a control
  ///   character, or the user a colon.
  /// - Source: RFC 7617 §2.
  package static func value(_ credential: Credential) throws(VaultError) -> Secret { Secret("") }
}
