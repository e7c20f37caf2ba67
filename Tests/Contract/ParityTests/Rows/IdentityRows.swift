import CVault
import CredentialVault
import SecureMemory
import TLSCredentials
import TestSupport
import VaultModel

/// The import of identities, and the names that prefer them.
enum IdentityRows {
  static let rows: [Row] = [
    Row(
      "identity.import", .identities, "An import returns every identity of a PKCS #12 file.",
      by: .swift { try count($0) }, .native { try count($0) },
      .keychain { _ in try imported { "\($0.count)" } },
      vault: .same("1"), compatible: .same("1")),
    Row(
      "identity.twice", .identities,
      "The same identity twice is one.",
      by: .keychain { _ in try imported(TwiceIdentity.file) { "\($0.count)" } },
      vault: .inexpressible("A file's identities are what it has."), compatible: .same("1")),
    Row(
      "identity.label", .identities,
      "An identity's label is its certificate's subject summary.",
      by: .swift { try label($0) }, .native { try label($0) },
      .keychain { _ in try imported { $0.label } },
      vault: .differs("The file's name, else the summary.", "a name"), compatible: .same("leaf"),
      why: "People gave that name."),
    Row(
      "identity.no-key", .identities, "A file without an identity is an empty result.",
      by: .swift { _ in
        try attempt {
          let leaf = try TLSWorld.made.get().leaf
          let file = try IdentityFile(Secret(copying: leaf.span))
          return "\(file.identities.count)"
        }
      }, .native { try count($0, of: TLSWorld.made.get().leaf) },
      .keychain { _ in try imported(TLSWorld.made.get().leaf) { "\($0.count)" } },
      vault: .differs("`missing-identity`.", "missing-identity"), compatible: .same("0"),
      why: "Nobody imports a file for nothing."),
    Row(
      "identity.passphrase", .identities, "A wrong passphrase is errSecAuthFailed, on iOS.",
      by: .swift { try count($0, "wrong") }, .native { try count($0, "wrong") },
      .keychain { _ in try imported(passphrase: "wrong") { "\($0.count)" } },
      vault: .same("authentication-failed"), compatible: .same("authentication-failed")),
    Row(
      "preferred.path", .identities,
      "A URL's preference is looked up without its query, then for each path above.",
      by: .swift { try preferred($0, "https://h.example.com/a/", "https://h.example.com/a/b?c") },
      .native { try preferred($0, "https://h.example.com/a/", "https://h.example.com/a/b?c") },
      .keychain { try preferred($0, "https://h.example.com/a/", "https://h.example.com/a/b?c") },
      vault: .same("leaf"), compatible: .same("leaf"), except: [.keychainSession: isFile],
      alone: true),
    Row(
      "preferred.domain", .identities,
      "A preference is looked up by wildcards of the domains above, up to the top level.",
      by: .swift { try preferred($0, "*.com", "https://h.example.com/") },
      .native { try preferred($0, "*.com", "https://h.example.com/") },
      .keychain { try preferred($0, "*.com", "https://h.example.com/") },
      vault: .differs(
        "Up to a public suffix; for one, an invalid argument.", "invalid-argument"),
      compatible: .differs(
        "Up to a public suffix; for one, an invalid argument.", "invalid-argument"),
      why: "Strangers do not learn who you are.", except: [.keychainSession: isFile],
      alone: true),
    Row(
      "preferred.none", .identities,
      "Preferring none removes a preference, if there is one.",
      by: .swift { driver in
        try outcome { try driver.vault.identities.setPreferred(nil, for: "https://h.example.com/") }
      },
      .native { driver in
        let name = "https://h.example.com/"
        // The text is a C string during the call.
        return try outcome {
          try check(
            unsafe vault_identity_set_preferred(driver.vault, nil, name, name.utf8.count))
        }
      },
      .keychain { driver in
        driver.place.becomeDefault()
        return try outcome {
          try check(
            unsafe VaultIdentitySetPreferred(nil, CF.string("https://h.example.com/"), nil))
        }
      },
      vault: .same("ok"), compatible: .same("ok"), except: [.keychainSession: isFile],
      alone: true),
    Row(
      "preferred.usage", .identities,
      "A preference is for a key usage, any, or none.",
      by: .keychain { driver in
        try preferred(driver, "https://h.example.com/", "https://h.example.com/", usage: true)
      }, vault: .inexpressible("A preference is for a name alone."),
      compatible: .differs("It is ignored.", "leaf"),
      why: "An identity for TLS signs.", except: [.keychainSession: isFile], alone: true),
  ]

  static let isFile = "the default vault is a file"

  // MARK: Import

  static func identities(_ passphrase: String = TLSWorld.passphrase) throws -> [Identity] {
    let file = try TLSWorld.made.get().file
    return try IdentityFile(Secret(copying: file.span), passphrase: Secret(passphrase)).identities
  }

  static func count(
    _ driver: SwiftDriver, _ passphrase: String = TLSWorld.passphrase
  ) throws -> String {
    try attempt { "\(try identities(passphrase).count)" }
  }

  static func label(_ driver: SwiftDriver) throws -> String {
    try store(driver).item.label
  }

  /// Stores the identity of the file.
  @discardableResult
  static func store(_ driver: SwiftDriver) throws -> StoredIdentity {
    try driver.vault.identities.add(
      identities()[0], persistence: driver.store.persistence
    ).identity
  }

  static func count(
    _ driver: NativeDriver, of file: [UInt8]? = nil, _ passphrase: String = TLSWorld.passphrase
  ) throws -> String {
    try attempt { "\(try store(driver, file, passphrase).count)" }
  }

  static func label(_ driver: NativeDriver) throws -> String {
    try driver.read(.label, of: store(driver)[0])
  }

  /// Stores the identities of a file.
  static func store(
    _ driver: NativeDriver, _ file: [UInt8]? = nil, _ passphrase: String = TLSWorld.passphrase
  ) throws -> [NativeDriver.ItemReference] {
    let file = try file ?? TLSWorld.made.get().file
    var items: UnsafeMutablePointer<OpaquePointer?>?
    var count = 0
    // Both texts are as long as is said, and the array is the caller's.
    try check(
      unsafe vault_identity_import(
        driver.vault, file, file.count, passphrase, passphrase.utf8.count, nil, 0,
        driver.persistence, &items, &count))
    var stored: [NativeDriver.ItemReference] = []
    for index in 0..<count {
      unsafe vault_item_retain(items?[index])
      stored.append(unsafe NativeDriver.ItemReference(items?[index]))
    }
    unsafe vault_items_free(items, count)
    return stored
  }

  /// The array of an import, as far as rows ask for it.
  struct Imported {
    let count: Int
    let label: String
  }

  static func imported(
    _ file: [UInt8]? = nil, passphrase: String = TLSWorld.passphrase,
    _ words: (Imported) -> String
  ) throws -> String {
    try attempt {
      try CF.importing(file ?? TLSWorld.made.get().file, passphrase) { items in
        // The array is valid until this returns, and owns what is in it.
        let count = unsafe VaultCFArrayGetCount(items)
        let first = count == 0 ? nil : unsafe VaultCFArrayGetValueAtIndex(items, 0)
        let label = unsafe VaultCFDictionaryGetValue(
          OpaquePointer(first), UnsafeRawPointer(CF.string("label")))
        return words(Imported(count: count, label: unsafe CF.text(label)))
      }
    }
  }

  // MARK: Preferences

  static func preferred(_ driver: SwiftDriver, _ name: String, _ asked: String) throws -> String {
    try attempt {
      try driver.vault.identities.setPreferred(store(driver), for: name)
      return try driver.vault.identities.preferred(for: asked).summary.subject.summary
    }
  }

  static func preferred(_ driver: NativeDriver, _ name: String, _ asked: String) throws -> String {
    let item = try store(driver)[0]
    return try attempt {
      try item.with { item in
        try check(
          unsafe vault_identity_set_preferred(driver.vault, item, name, name.utf8.count))
      }
      var found: OpaquePointer?
      // The texts are C strings during the call.
      try check(
        unsafe vault_identity_find_preferred(driver.vault, asked, asked.utf8.count, &found))
      let same = try driver.read(.label, of: unsafe NativeDriver.ItemReference(found))
      return same == "a name" ? "leaf" : same
    }
  }

  static func preferred(
    _ driver: KeychainDriver, _ name: String, _ asked: String, usage: Bool = false
  ) throws -> String {
    driver.place.becomeDefault()
    try driver.place.vault.identities.add(identities()[0])
    return try attempt {
      try CF.importing(TLSWorld.made.get().file, TLSWorld.passphrase) { items in
        // The array owns its identity; the others are objects of this function.
        let identity = unsafe VaultCFDictionaryGetValue(
          OpaquePointer(VaultCFArrayGetValueAtIndex(items, 0)),
          UnsafeRawPointer(CF.string("identity")))
        let usages = unsafe usage ? items : nil
        try check(
          unsafe VaultIdentitySetPreferred(OpaquePointer(identity), CF.string(name), usages))
        guard let found = unsafe VaultIdentityCopyPreferred(CF.string(asked), nil, nil) else {
          return "none"
        }
        defer { unsafe VaultCFRelease(UnsafeRawPointer(found)) }
        var certificate: OpaquePointer?
        try check(unsafe VaultIdentityCopyCertificate(found, &certificate))
        defer { unsafe VaultCFRelease(UnsafeRawPointer(certificate)) }
        let summary = unsafe VaultCertificateCopySubjectSummary(certificate)
        defer { unsafe VaultCFRelease(UnsafeRawPointer(summary)) }
        return unsafe CF.text(UnsafeRawPointer(summary))
      }
    }
  }
}
