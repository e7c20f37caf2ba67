import SecureMemory
import VaultModel
import VaultTerminal

/// One question at a terminal.
struct TerminalDialogue: Sendable {
  private let question: Question
  private let offered: Persistence

  init(_ question: Question, offering offered: Persistence) {
    self.question = question
    self.offered = offered
  }

  /// Shows the question and reads the answer.
  ///
  /// - Throws: ``VaultError/Code/interrupted`` at Ctrl-C and if the task is cancelled; what the
  ///   terminal throws.
  func hold(at terminal: borrowing Terminal) throws(VaultError) -> Answer {
    for line in introduction { try terminal.show(line) }
    do throws(VaultError) {
      return try ask(terminal)
    } catch {
      // Ctrl-D, or the terminal is gone.
      guard error.code == .missingInput else { throw error }
      return .cancel(.space)
    }
  }

  // MARK: Introduction

  /// The facts that the user needs, a line each.
  ///
  /// Realm, user names and URL are text from outside. None can end its line or its quotation marks,
  /// or be longer than a few lines of a terminal.
  var introduction: [String] {
    let space = question.space
    let place = space.host.urlText + ":\(space.port)"
    let server = "\(space.protocol)://\(place)"
    let encrypted = space.protocol == .httpsProxy ? " (encrypted)" : ""
    let asked = "for \(Printable.quoted("\(question.url.origin)\(question.url.target)"))."
    let wanted = question.requiresToken ? "a token" : "a user and a password"
    let secret = question.requiresToken ? "token" : "password"
    var lines = [
      space.isProxy
        ? "The proxy \(place)\(encrypted) asks for \(wanted), \(asked)"
        : "The server \(server) asks for \(wanted), \(asked)",
      "Realm: \(space.realm.isEmpty ? "none" : Printable.quoted(space.realm))",
      "Scheme: \(space.authenticationMethod); the \(secret) will be sent "
        + (question.travelsInClear ? "in clear." : "securely."),
    ]
    if question.failures > 0 {
      let user = question.failedUser.map { "\(Printable.quoted($0)) was refused" } ?? "Refused"
      lines.append("\(user); \(question.failures) in all were.")
    }
    if !question.storedUsers.isEmpty {
      let most = 10
      let names = question.storedUsers.prefix(most).map { Printable.quoted($0, longest: 40) }
      let rest = question.storedUsers.count - names.count
      lines.append(
        "Stored: \(names.joined(separator: ", "))" + (rest > 0 ? " and \(rest) more." : "."))
    }
    lines.append(
      "Or :d declines the scheme, :w goes on without, :c cancels this request,"
        + " :s all for this realm, :a all; :e is an empty user.")
    return lines
  }

  // MARK: Questions

  private func ask(_ terminal: borrowing Terminal) throws(VaultError) -> Answer {
    var user: String
    switch try askUser(terminal) {
    case .answer(let answer): return answer
    case .user(let name): user = name
    }
    if question.storedUsers.contains(where: { $0.hasSameBytes(as: user) }) {
      return .useStored(user: user)
    }
    let password = try terminal.secret(
      prompt: question.requiresToken ? "Token: " : "Password: ")
    var domain = ""
    if question.requiresAccountDomain {
      // NTLM users write both in one.
      let parts = user.split(separator: "\\", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        (domain, user) = (String(parts[0]), String(parts[1]))
      } else {
        domain = try askText(terminal, "Account domain: ")
      }
    }
    return .use(
      Credential(
        user: user, secret: password, persistence: try askPersistence(terminal),
        accountDomain: domain))
  }

  private enum Named {
    case user(String)
    case answer(Answer)
  }

  private func askUser(_ terminal: borrowing Terminal) throws(VaultError) -> Named {
    let suggested = question.user ?? question.failedUser ?? question.storedUsers.first
    let prompt = suggested.map { "User [\(Printable.cut($0, to: 60))]: " }
    while true {
      let typed = try askText(terminal, prompt ?? "User: ")
      var user = typed
      switch typed {
      case "": user = suggested ?? ""
      case ":e": user = ""
      case ":d": return .answer(.declineScheme)
      case ":w": return .answer(.goOnWithout)
      case ":c": return .answer(.cancel(.request))
      case ":s": return .answer(.cancel(.space))
      case ":a": return .answer(.cancel(.all))
      case _ where typed.utf8.contains(UInt8(ascii: ":")):
        try terminal.show("A user has no colon.")
        continue
      default: break
      }
      guard let wanted = question.user, !wanted.hasSameBytes(as: user) else {
        return .user(user)
      }
      try terminal.show("The request is for \(Printable.quoted(wanted)).")
    }
  }

  /// Asks for a line until it is valid text.
  private func askText(
    _ terminal: borrowing Terminal, _ prompt: String
  ) throws(VaultError) -> String {
    while true {
      let line = try terminal.line(prompt: prompt)
      let text: String? = line.withRawBytes { bytes in
        // The buffer is valid inside the closure, and copied.
        unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
      }
      if let text, !text.unicodeScalars.contains(where: \.isUnprintable) { return text }
      try terminal.show("That is no text.")
    }
  }

  private func askPersistence(_ terminal: borrowing Terminal) throws(VaultError) -> Persistence {
    guard offered > .none else { return .none }
    let good = offered == .permanent ? ", for (g)ood" : ""
    while true {
      switch try askText(terminal, "Remember: (n)o, this (s)ession\(good) [s]: ") {
      case "n", "no": return .none
      case "", "s", "session": return .session
      case "g", "good": if offered == .permanent { return .permanent }
      default: break
      }
    }
  }
}
