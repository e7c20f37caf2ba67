import FuzzTesting
import HTTPChallenge
import SecureMemory
import VaultModel
import VaultTerminal

@testable import HTTPAuthentication
@testable import VaultURLSession

extension FuzzTarget {
  /// The fields of a challenging response, one a line.
  static let challenge = FuzzTarget(name: "challenge") { bytes in
    let list = ChallengeList(bytes.lines)
    for challenge in list.challenges { try check(challenge) }
    for skipped in list.skipped {
      try require(
        (skipped.scheme + skipped.reason).isVisibleASCII, "what was skipped is told as it came")
    }
    try require(
      list.challenges.count + list.skipped.count <= ChallengeList.mostChallenges + 1,
      "more challenges than are read")
    return list.challenges.isEmpty ? .refused : .read
  }

  private static func check(_ challenge: Challenge) throws {
    let written = challenge.fieldValue
    try require(
      ChallengeList([written]).challenges == [challenge], "written, and another challenge")
    try answer(written)
  }

  /// Answers a challenge, as a client does, and checks that the answer is one line.
  private static func answer(_ field: String) throws {
    let request = RequestHead(url: try RequestURL("http://example.com/a/b?c"))
    let response = ResponseHead(
      status: 401, fields: [ResponseHead.Field("WWW-Authenticate", field)])
    _ = try reading(refusing: .invalidArgument, .tooLarge, .unsupported, .invalidData) {
      () throws(VaultError) in
      let responder = try ChallengeResponder(response, to: request)
      let credential =
        responder.requiresToken
        ? Credential(token: Secret("s3"), persistence: .none)
        : Credential(user: "ann", secret: Secret("s3"), persistence: .none)
      let field = try responder.field(for: credential, of: request)
      _ = responder.applies(to: request)
      let isLine = field.value.withRawBytes { value in
        // The buffer is valid inside the closure.
        unsafe value.withUnsafeBytes { unsafe $0.allSatisfy(isOfField) }
      }
      guard isLine else { throw VaultError(.internalError, "a field of more than a line") }
    }
  }

  static let authenticationInfo = FuzzTarget(name: "authentication-info") { bytes in
    let information = AuthenticationInfo(bytes.lines)
    let texts = [
      information.nextNonce, information.responseProof, information.clientNonce, information.qop,
    ]
    for text in texts {
      try require(
        text?.utf8.allSatisfy(isOfField) ?? true, "a control character was taken")
    }
    return texts.contains { $0 != nil } || information.count != nil ? .read : .refused
  }

  /// Answers of an issuer of tokens.
  static let tokenDocument = FuzzTarget(name: "token-document") { bytes in
    let document = try reading(refusing: .invalidData, .tooLarge) { () throws(VaultError) in
      try TokenDocument(Secret(copying: bytes.span))
    }
    guard let document else { return .refused }
    try require(document.token?.count != 0, "an empty token is none")
    return .read
  }

  /// URLs, hosts, patterns of hosts.
  static let url = FuzzTarget(name: "url") { bytes in
    let text = bytes.text
    return try outcome(url: text) || outcome(host: text)
  }

  private static func outcome(url text: String) throws -> Outcome {
    if let url = try reading(
      refusing: .invalidArgument, body: { () throws(VaultError) in try RequestURL(text) })
    {
      try require(
        url.target.hasPrefix("/") && url.target.isVisibleASCII && !url.target.contains("#"),
        "a target that is none")
      try require("\(url)".isVisibleASCII, "a URL that is shown as it came")
      let again = try reading { () throws(VaultError) in try RequestURL("\(url)") }
      try require(
        again?.target == url.target && again?.origin == url.origin, "shown as another URL")
    }
    let reference = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      try URLReference(text)
    }
    let space = try reading(refusing: .invalidArgument, .tooLarge) { () throws(VaultError) in
      try ProtectionSpace(url: text)
    }
    guard let reference else {
      try require(space == nil, "a space of what is no URL")
      return .refused
    }
    let texts = [reference.user ?? "", reference.path, reference.host.name]
    try require(
      texts.allSatisfy { !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }, "a control character")
    try check(reference.host)
    guard let space else {
      try require(reference.host.isUnset, "a URL without a space")
      return .read
    }
    try require(space.host == reference.host, "a space of another host")
    let again = try reading { () throws(VaultError) in
      try ProtectionSpace(
        url: "\(reference.protocol)://\(space.host.urlText):\(max(1, space.port))")
    }
    try require(again?.host == space.host, "a space whose text is another's")
    return .read
  }

  private static func outcome(host text: String) throws -> Outcome {
    let pattern = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      try HostPattern(text)
    }
    if let pattern {
      let again = try reading { () throws(VaultError) in try HostPattern(pattern.description) }
      try require(again == pattern, "a pattern whose text is another's")
    }
    let host = try reading(refusing: .invalidArgument) { () throws(VaultError) in try HostName(text)
    }
    guard let host else { return pattern == nil ? .refused : .read }
    try check(host)
    return .read
  }

  /// Checks that a canonical host is its own canonical form and visible ASCII.
  private static func check(_ host: HostName) throws {
    for text in [host.name, host.urlText] {
      let again = try reading { () throws(VaultError) in try HostName(text) }
      try require(again == host, "a canonical host that is not its own canonical form")
    }
    try require(host.name.isVisibleASCII, "a host that is not ASCII")
    try require(!host.isSubdomain(of: host), "a host below itself")
    _ = (host.isLoopback, host.isIPAddress)
  }

  /// The values of `http_proxy` and `no_proxy`, one a line.
  static let proxy = FuzzTarget(name: "proxy") { bytes in
    let lines = bytes.lines
    let variables = ["http_proxy": lines.first ?? "", "no_proxy": lines.dropFirst().first ?? ""]
    let origins = try ["http://example.com", "http://10.1.2.3", "http://[fe80::1]"].map {
      try RequestURL($0).origin
    }
    let found = origins.compactMap { EnvironmentProxy.find(for: $0) { variables[$0] } }
    for proxy in found { try check(proxy.proxy.host) }
    return found.isEmpty ? .refused : .read
  }

  static let timestamp = FuzzTarget(name: "timestamp") { bytes in
    let text = bytes.text
    let time = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      try Timestamp(rfc3339: text)
    }
    guard let time else { return .refused }
    let again = try reading { () throws(VaultError) in try Timestamp(rfc3339: time.rfc3339) }
    try require(again == time, "a time whose text is another's")
    return .read
  }

  /// The displayed form of a text from outside.
  static let terminal = FuzzTarget(name: "terminal") { bytes in
    let text = bytes.text
    for shown in [Printable.text(text), Printable.text(Printable.quoted(text))] {
      try require(
        !shown.unicodeScalars.contains(where: \.isUnprintable), "a control character is shown")
      try require(
        !shown.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character is shown")
    }
    try require(
      Printable.quoted(text, longest: 8).unicodeScalars.count <= 2 * 8 + 3,
      "not cut where it is said")
    return Printable.text(text) == text ? .read : .refused
  }
}

/// Returns whether a byte may be in a field's value (RFC 9110 §5.5): tabulators may.
private func isOfField(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t")
}

extension String {
  /// Whether it is ASCII with a shape, or blanks.
  var isVisibleASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
