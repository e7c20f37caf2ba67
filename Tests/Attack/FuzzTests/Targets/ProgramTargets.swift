import FuzzTesting
import Interchange
import SecureMemory
import TestSupport
import VaultModel

@testable import SealedTree
@testable import VaultStore
@testable import VaultCommands

extension FuzzTarget {
  /// The input that Git writes to its helper.
  static let gitRequest = FuzzTarget(name: "git-request") { bytes in
    let request = try reading(refusing: .invalidData) { () throws(VaultError) in
      try GitRequest(Secret(bytes))
    }
    // A view of bytes, which the array outlives.
    let isComplete = unsafe GitRequest.isComplete(bytes.span.bytes)
    guard let request else { return .refused }
    // Nothing after the empty line is read.
    if isComplete {
      let longer = try reading { () throws(VaultError) in
        try GitRequest(Secret(bytes + Array("host=behind\npassword=behind\n".utf8)))
      }
      try require(longer.map(lines) == lines(request), "what stands behind the end is read")
    }
    let again = try reading { () throws(VaultError) in
      try GitRequest(Secret(Array((lines(request).joined(separator: "\n") + "\n\n").utf8)))
    }
    try require(
      request.isUnrepresentable || again.map(lines) == lines(request),
      "written, and another request")
    _ = GitPattern(request)
    return .read
  }

  /// Returns the request's lines, to check that no part of it is a second line.
  private static func lines(_ request: GitRequest) -> [String] {
    var lines: [String] = []
    func put(_ name: String, _ value: String?) {
      if let value { lines.append("\(name)=\(value)") }
    }
    put("protocol", request.networkProtocol)
    put("host", request.host)
    put("path", request.path)
    put("username", request.username)
    put("password", request.password?.array.text)
    put("oauth_refresh_token", request.refreshToken?.array.text)
    put("password_expiry_utc", request.passwordExpiry.map { "\($0.milliseconds / 1000)" })
    for challenge in request.challenges { put("wwwauth[]", challenge) }
    for capability in request.capabilities { put("capability[]", capability) }
    put("authtype", request.scheme)
    put("credential", request.credential?.array.text)
    for state in request.states { put("state[]", state) }
    if request.isEphemeral { put("ephemeral", "1") }
    return lines
  }

  /// The input that Docker writes to its helper: a credential, or a server.
  static let dockerRequest = FuzzTarget(name: "docker-request") { bytes in
    let server = try reading(refusing: .missingInput, .itemNotFound) { () throws(VaultError) in
      try DockerRequest.server(Secret(bytes))
    }
    if let server { try check(server) }
    let request = try reading(refusing: .missingInput, .invalidData, .tooLarge) {
      () throws(VaultError) in
      try DockerRequest(Secret(bytes))
    }
    guard let request else { return .refused }
    try check(request.server)
    let item = try request.server.item(user: request.user, request.secret) { _ in false }
    try require(item.account == request.user, "another user")
    return .read
  }

  /// Checks that what is stored for a server is found by its text, and by no other.
  private static func check(_ server: DockerServer) throws {
    for isTaken in [false, true] {
      let item = try server.item(user: "ann", Secret("s")) { _ in isTaken }
      try require(server.owns(item), "what is stored is not the server's")
      try require(server.query.server == .equals(item.server), "what is stored is not found")
      try require(!DockerServer(server.text + "/x").owns(item), "it is another server's, too")
    }
  }

  /// Settings that `git -c` leaves in the environment.
  static let gitSettings = FuzzTarget(name: "git-settings") { bytes in
    let text = bytes.text
    for value in ["never", "true"] {
      let with = GitInteraction.setting(text + " 'credential.interactive'='\(value)'")
      try require(with == value, "the last setting does not count")
    }
    return GitInteraction.setting(text) == nil ? .refused : .read
  }

  /// The words of a command line, one a line.
  static let arguments = FuzzTarget(name: "arguments") { bytes in
    let words = bytes.lines
    var refusal: VaultError?
    let parsed = try reading(refusing: .invalidArgument) {
      () throws(VaultError) -> (command: Command, arguments: Arguments) in
      do throws(VaultError) {
        return try ArgumentParser.parse(["vaultctl"] + words)
      } catch {
        refusal = error
        throw error
      }
    }
    guard let (command, arguments) = parsed else {
      // A mistyped word may be a secret. The messages themselves contain no digits.
      for word in words where word.utf8.count > 3 && word.utf8.contains(where: \.isDigit) {
        try require(refusal?.context.contains(word) == false, "a word was repeated")
      }
      return .refused
    }
    try require(
      arguments.operands.count <= max(1, command.operands.count.upperBound), "more operands")
    _ = try reading(refusing: .invalidArgument, .tooLarge) { () throws(VaultError) in
      _ = try Selection(arguments, readsMetadata: true)
      _ = try NewItem.item(arguments)
      _ = try NewItem.keyChanges(arguments, areNew: true)
      _ = try NewItem.metadataChanges(arguments)
    }
    return .read
  }

  /// The options of `policy add`, one word a line.
  static let policyOptions = FuzzTarget(name: "policy-options") { bytes in
    let rule = try reading(refusing: .invalidArgument) { () throws(VaultError) in
      let (_, arguments) = try ArgumentParser.parse(["vaultctl", "policy", "add"] + bytes.lines)
      _ = try NewRule.position(arguments)
      return arguments.has(.name) ? try NewRule.rule(arguments) : nil
    }
    guard let rule = rule ?? nil else { return .refused }
    let body = PolicyRuleRecord(rule, position: 1).encoded
    let again = try reading { () throws(VaultError) in
      try PolicyRuleRecord(decoding: body, 0..<body.count)
    }
    try require(again?.rule == rule, "a rule that is kept as another one")
    return .read
  }

  /// The values of options, every reader on each line.
  static let values = FuzzTarget(name: "values") { bytes in
    try bytes.lines.prefix(16).map(outcome(value:)).contains(.read) ? .read : .refused
  }

  private static func outcome(value text: String) throws -> Outcome {
    var outcome = Outcome.refused
    func read<Value>(_ body: (String) throws(VaultError) -> Value) throws {
      let value = try reading(refusing: .invalidArgument) { () throws(VaultError) in
        try body(text)
      }
      if value != nil { outcome = .read }
    }
    try read(Values.port)
    try read(Values.networkProtocol)
    try read(Values.method)
    for attribute in Attribute.all {
      try read { (text) throws(VaultError) in try Values.value(text, of: attribute) }
    }
    try read(Values.custom)
    try read(Values.cost)
    try read(Values.slotID)
    try read(Values.descriptor)
    try read(Values.expiry)
    try read(Values.lifetime)
    try read(Values.wait)
    try read(Values.historyLimit)
    try read(Values.revision)
    try read(Values.count)
    try read(Values.trashDays)
    try read(ItemColumn.list)
    try read { (text) throws(VaultError) in try Selection(reference: text) }
    try read { (text) throws(VaultError) in
      let id = try ItemID(text: text)
      guard try ItemID(text: id.text) == id, id.hasPrefix(text) else {
        throw VaultError(.internalError, "an id whose text is another's")
      }
    }
    try read { (text) throws(VaultError) in
      _ = try BackupName(text, of: VaultPath("/default.vault"))
    }
    return outcome
  }
}
