import CVault
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

/// A handle, which is only passed on and never read through.
struct Reference {
  let address: UInt

  static let null = Reference(address: 0)

  private init(address: UInt) {
    self.address = address
  }

  init(_ pointer: OpaquePointer?) {
    address = UInt(bitPattern: pointer)
  }

  var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: address) }
  var raw: UnsafeRawPointer? { unsafe UnsafeRawPointer(bitPattern: address) }

  func release() { unsafe VaultRelease(raw) }
}

/// A vault of one test's own, as Swift and as C see it.
final class Fixture {
  let folder: TemporaryFolder
  let vault: Vault
  /// The same vault's reference.
  let reference: Reference

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    vault = try Vault.create(
      path: folder.file("own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    reference = try Self.open(folder.file("own.vault"))
  }

  deinit {
    reference.release()
  }

  var path: String { folder.file("own.vault") }

  /// Opens a vault that this process has unlocked.
  static func open(_ path: String) throws -> Reference {
    var reference: VaultRef?
    // The place is this function's own.
    try #require(unsafe VaultOpen(path, &reference) == errVaultSuccess)
    return unsafe Reference(reference)
  }

  /// Returns every item, best first, with its secret.
  func items() throws -> [Item] {
    try vault.findAll(ItemQuery(), withSecrets: true)
  }
}

/// The parameters of the functions that find and add; the defaults stand for no value.
struct Words {
  var server: String?
  var domain: String?
  var account: String?
  var path: String?
  var port: UInt16 = 0
  var proto: VaultProtocolType = 0
  var type: VaultAuthenticationType = 0

  init(
    server: String? = nil, domain: String? = nil, account: String? = nil, path: String? = nil,
    port: UInt16 = 0, proto: Int = 0, type: Int = 0
  ) {
    self.server = server
    self.domain = domain
    self.account = account
    self.path = path
    self.port = port
    self.proto = VaultProtocolType(proto)
    self.type = VaultAuthenticationType(type)
  }

  static let full = Words(
    server: "mail.example.com", domain: "staff", account: "ann", path: "/inbox", port: 993,
    proto: kVaultProtocolTypeIMAPS, type: kVaultAuthenticationTypeDefault)

  /// Adds an item and also returns its reference.
  func add(
    _ secret: [UInt8] = Array("secret".utf8), to vault: Reference
  ) -> (
    status: Int, item: Reference
  ) {
    var item: VaultItemRef?
    // Strings and bytes are valid during the call; the place is this function's own.
    let status = unsafe VaultAddInternetPassword(
      vault.pointer, length(server), server, length(domain), domain, length(account), account,
      length(path), path, port, proto, type, UInt32(secret.count), secret, &item)
    return unsafe (Int(status), Reference(item))
  }

  /// Adds an item that has to be new.
  func added(_ secret: String = "secret", to vault: Reference) throws -> Reference {
    let (status, item) = add(Array(secret.utf8), to: vault)
    try #require(status == errVaultSuccess)
    return item
  }

  /// Finds the first item and its secret, which is freed.
  func find(in vaults: Reference) -> (status: Int, secret: [UInt8]?, item: Reference) {
    var length: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    var item: VaultItemRef?
    // Strings are valid during the call; the places are this function's own.
    let status = unsafe VaultFindInternetPassword(
      vaults.raw, self.length(server), server, self.length(domain), domain, self.length(account),
      account, self.length(path), path, port, proto, type, &length, &data, &item)
    return unsafe (Int(status), take(data, length), Reference(item))
  }

  private func length(_ text: String?) -> UInt32 { UInt32(text?.utf8.count ?? 0) }
}

/// Copies a secret that was given out, and frees it.
func take(_ data: UnsafeMutableRawPointer?, _ length: UInt32) -> [UInt8]? {
  // The library says that the secret is so long.
  let bytes = unsafe data.map {
    unsafe Array(UnsafeRawBufferPointer(start: $0, count: Int(length)))
  }
  _ = unsafe VaultItemFreeContent(nil, data)
  return bytes
}

extension String {
  /// The text's bytes.
  var array: [UInt8] { Array(utf8) }
}

extension Item {
  /// Creates an item that has every attribute that the keychain also has.
  init(everyAttributeOn server: String) throws {
    self.init(
      server: try HostName(server), account: "ann", protocol: .https, port: 8443, realm: "staff",
      path: "/p", authenticationMethod: .digest)
    label = "Example"
    comment = "a remark"
    kind = "a kind"
    creator = 0x6D69_6E65
    type = 7
    isInvisible = true
    isNegative = true
  }
}
