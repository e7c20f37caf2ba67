import VaultModel

/// The program that asks, which decides what its questions can mean.
///
/// A question is only text, and others may have written it: ssh shows the questions of a server,
/// before OpenSSH 8.5 word for word (keyboard-interactive, RFC 4256 §3.2), and other programs those
/// of theirs. So only programs are answered of which it is known what others can write.
enum AskpassParent {
  /// Git, which puts its questions together from the URL that the answer is for, after a redirect
  /// from the new one.
  case git
  /// ssh: some of its questions are those of a server.
  case ssh(SSHClient)
  /// A program that opens private keys and speaks with no server.
  case keyTool

  /// The answer that a question wants.
  enum Wanted: Equatable {
    case credential(isUser: Bool, AskpassPrompt.Place)
    case keyPassphrase(path: String)
  }

  /// The programs of Git that ask by git-credential(1)'s function, and for nothing else.
  private static let programsOfGit: Set<String> = [
    "git", "scalar", "git-remote-http", "git-remote-https", "git-remote-ftp", "git-remote-ftps",
    "git-http-fetch", "git-http-push", "git-imap-send",
  ]

  /// Returns the program that started this one; nil if it is none of these.
  static func current() -> AskpassParent? {
    guard let process = ParentProcess() else { return nil }
    switch process.program {
    case "ssh": return .ssh(SSHClient(process))
    case "ssh-add", "ssh-keygen": return .keyTool
    case let program where programsOfGit.contains(program): return .git
    default: return nil
    }
  }

  /// Returns the answer that a question of this program wants; nil if it does not ask that, or
  /// somebody else may have written it.
  ///
  /// - Throws: Any error of starting ssh, to ask what its connection is.
  func wanted(by prompt: AskpassPrompt) throws(VaultError) -> Wanted? {
    switch (self, prompt) {
    case (.git, .credential(let isUser, let place)):
      return .credential(isUser: isUser, place)
    case (.keyTool, .keyPassphrase(let path)):
      return .keyPassphrase(path: path)
    case (.ssh(let client), .keyPassphrase(let path)):
      return try client.marksForeignQuestions() ? .keyPassphrase(path: path) : nil
    case (.ssh(let client), .login(let user, let host)):
      // Whoever wrote it: the server that gets the answer is the one that the password is for.
      guard let place = try client.connection()?.place(user: user, host: host) else { return nil }
      return .credential(isUser: false, place)
    case (.git, _), (.keyTool, _), (.ssh, .credential):
      return nil
    }
  }
}
