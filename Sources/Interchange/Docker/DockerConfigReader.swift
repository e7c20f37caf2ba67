import SecureMemory
import VaultModel

/// Reads the logins in Docker's `config.json`.
///
/// Docker's keys mean nothing but themselves: `https://index.docker.io/v1/` and the same with
/// `access-token` behind it are two entries. So each item keeps its key as it was, beside the
/// server and path that networking code finds it by.
struct DockerConfigReader: EntryReader {
  private enum State {
    case members, logins, helpers
  }

  /// The custom attribute of an item with Docker's key for it.
  static let keyAttribute = "docker.server-url"
  /// The user by which Docker tells that the secret is an identity token.
  static let tokenUser = "<token>"

  private let json: JSONReader
  private let options: ReadingOptions
  private var state = State.members
  private var isDocker = false

  init(_ source: ByteSource, _ options: ReadingOptions) {
    json = JSONReader(entriesOf: source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while true {
      switch state {
      case .members:
        guard let name = try json.nextMember() else {
          guard isDocker else {
            throw VaultError(
              .invalidData, "neither auths nor credsStore: this is no config.json of Docker")
          }
          return nil
        }
        if let entry = try readMember(name) { return entry }
      case .logins:
        json.beginRecord()
        // A key that is there twice is one server.
        if try json.nextName() != nil { return try readLogin(json.lastName) }
        json.endRecord()
        state = .members
      case .helpers:
        if try json.nextName() != nil {
          let (place, server) = (Place.line(json.line), json.lastName)
          try json.skipRecord()
          return Entry(place, .leftOut(.elsewhere), title: server)
        }
        state = .members
      }
    }
  }

  private mutating func readMember(_ name: String) throws(VaultError) -> Entry? {
    // A member that is there twice is in two parts.
    switch json.lastName {
    case "auths" where try json.kind() == .object:
      isDocker = true
      try json.beginObject()
      state = .logins
    case "credHelpers" where try json.kind() == .object:
      isDocker = true
      try json.beginObject()
      state = .helpers
    case "credsStore":
      isDocker = true
      let place = Place.line(json.line)
      if let helper = try json.textIfString(), !helper.isEmpty {
        return Entry(place, .leftOut(.elsewhere), title: helper)
      }
    // Settings: of a proxy, or headers, which can have secrets of their own.
    default: return try json.leaveOut(name)
    }
    return nil
  }

  private func readLogin(_ key: String) throws(VaultError) -> Entry {
    var fields = EntryFields(.line(json.line), path: .scope, options)
    var (pair, user, password, token): (Secret?, String?, Secret?, Secret?)
    var isEmpty = true
    try json.members(of: "login", &fields) { (name, fields) throws(VaultError) in
      isEmpty = false
      switch name {
      case "auth": pair = try fields.secret(name, json)
      case "username": user = try fields.text(name, json)
      case "password": password = try fields.value(name, json)
      case "identitytoken": token = try fields.secret(name, json)
      case "email":
        if let email = try fields.secret(name, json) {
          fields.addCustom(name, email, isSecret: false)
        }
      // Docker writes it into each login, too.
      case "serveraddress": try readAddress(key, into: &fields)
      default: try fields.keep(name, json)
      }
    }
    fields.endRecord(json)
    // Docker writes an empty object for a login that its credential helper keeps.
    let name = try Self.withoutPassword(key)
    guard !isEmpty else { return Entry(fields.draft.place, .leftOut(.elsewhere), title: name) }
    fields.draft.origin = "docker"
    fields.draft.title = name
    fields.draft.addCustom(Self.keyAttribute, name)
    fields.addAddress(Secret(key))
    do throws(VaultError) {
      if let pair, pair.count > 0 {
        let both = try Self.split(pair)
        if let user, !user.hasSameBytes(as: both.user) { fields.draft.addCustom("username", user) }
        if let password, !password.isEqual(to: both.password) {
          fields.draft.addSecret("password beside auth", password)
        }
        (user, password) = both
      }
    } catch {
      fields.reject(error)
    }
    fields.draft.account = user ?? ""
    fields.draft.secret = password
    if let token, token.count > 0 {
      if let user { fields.draft.addCustom("username", user) }
      if let password { fields.draft.addSecret("password", password) }
      fields.draft.account = Self.tokenUser
      fields.draft.secret = token
      fields.draft.secretKind = .token
    }
    return fields.entry()
  }

  private func readAddress(
    _ key: String, into fields: inout EntryFields
  ) throws(VaultError) {
    guard let address = try fields.secret("serveraddress", json),
      !address.isEqual(to: Secret(key))
    else { return }
    fields.addAddress(address)
  }

  /// Returns a key without the password that somebody has written into it.
  private static func withoutPassword(_ key: String) throws(VaultError) -> String {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    let bytes = unsafe key.utf8.span.bytes
    let parts = AddressParts(bytes)
    guard parts.password != nil else { return key }
    let scheme = try parts.scheme.map { (range) throws(VaultError) in
      try Bytes.text(bytes.extracting(range), "server") + "://"
    }
    return try (scheme ?? "") + Bytes.text(bytes.extracting(parts.rest), "server")
  }

  /// Splits `auth`, which is `user:password` in base 64 and may end with NULs, as Docker's reader
  /// does.
  private static func split(
    _ pair: Secret
  ) throws(VaultError) -> (user: String, password: Secret) {
    let decoded = try Base64.decode(pair)
    return try decoded.withRawBytes { (bytes) throws(VaultError) in
      guard let colon = (0..<bytes.byteCount).first(where: { Bytes.at(bytes, $0) == 0x3A }) else {
        throw VaultError(.invalidData, "auth: no colon between user and password")
      }
      var end = bytes.byteCount
      while end > colon + 1, Bytes.at(bytes, end - 1) == 0 { end -= 1 }
      return (
        try Bytes.text(bytes.extracting(0..<colon), "auth"),
        Secret(copying: bytes.extracting((colon + 1)..<end))
      )
    }
  }
}
