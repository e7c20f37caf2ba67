import Testing

@testable import VaultCommands

@Suite("AskpassPrompt")
struct AskpassPromptTests {
  private func place(_ prompt: String) -> AskpassPrompt.Place? {
    guard case .credential(_, let place) = AskpassPrompt(prompt) else { return nil }
    return place
  }

  @Test("a question of Git has the parts of its URL")
  func git() {
    #expect(
      AskpassPrompt("Username for 'https://git.example.com:8443/a/b.git': ")
        == .credential(
          isUser: true,
          AskpassPrompt.Place(
            networkProtocol: "https", user: nil, host: "git.example.com:8443", path: "a/b.git")))
    #expect(place("Password for 'https://ann@git.example.com': ")?.user == "ann")
    #expect(place("Password for 'https://a%20b@git.example.com': ")?.user == "a b")
    #expect(
      place("Password for 'https://ann@corp.example@git.example.com': ")?.host == "git.example.com")
    #expect(place("Password for 'https://50%@git.example.com': ")?.user == "50%")
    #expect(place("Password for 'cert:///home/ann/key.pem': ")?.path == "home/ann/key.pem")
  }

  @Test("a question of ssh has the user and the host, or the path of a key")
  func ssh() {
    #expect(
      AskpassPrompt("ann@shell.example.com's password: ")
        == .login(user: "ann", host: "shell.example.com"))
    #expect(
      AskpassPrompt("(ann@corp@shell.example.com) Password: ")
        == .login(user: "ann@corp", host: "shell.example.com"))
    #expect(
      AskpassPrompt("Enter passphrase for key '/home/ann's/key': ")
        == .keyPassphrase(path: "/home/ann's/key"))
  }

  @Test(
    "every other question is somebody else's",
    arguments: [
      "", ":", "'", "Password: ", "(ann@host) Verification code: ", "(ann) Password: ",
      "Enter passphrase: ", "Enter passphrase for key 'relative': ", "Password for 'host': ",
      "a b@host's password: ", "Enter PIN for ED25519-SK key /home/ann/key: ",
      "The authenticity of host 'x (10.0.0.1)' can't be established. Continue (yes/no)? ",
    ])
  func others(_ prompt: String) {
    #expect(AskpassPrompt(prompt) == nil)
  }

  @Test("a server's question does not look like a login of another host behind its mark")
  func mark() {
    #expect(AskpassPrompt("(ann@evil.example) bob@shell.example.com's password: ") == nil)
    #expect(AskpassPrompt("(ann@evil.example) (bob@shell.example.com) Password: ") == nil)
    #expect(AskpassPrompt("(ann@evil.example) Password for 'https://git.example.com': ") == nil)
    #expect(AskpassPrompt("(ann@evil.example) Enter passphrase for key '/home/ann/key': ") == nil)
  }

  @Test(
    "OpenSSH marks a server's questions from 8.5 on, and nobody else is known to",
    arguments: [
      ("OpenSSH_8.5p1, OpenSSL 1.1.1\n", true), ("OpenSSH_9.2p1 Debian-2+deb12u6, x\n", true),
      ("OpenSSH_10.0p2\n", true), ("OpenSSH_8.10\n", true), ("OpenSSH_8.4p1 Debian-5\n", false),
      ("OpenSSH_7.9p1\n", false), ("OpenSSH_9\n", false), ("OpenSSH_for_Windows_9.5p1\n", false),
      ("Sun_SSH_2.4\n", false), ("", false),
    ])
  func version(_ text: String, marks: Bool) {
    #expect(SSHClient.marksForeignQuestions(version: text) == marks)
  }

  @Test("a connection is what ssh -G prints, and nothing if that is not all there")
  func connection() {
    let text = "host shell\nuser ann\nhostname shell.example.com\nport 2222\nhostkeyalias s\n"
    let connection = SSHConnection(configuration: text)
    #expect(connection?.hosts == ["shell.example.com", "s"])
    #expect(
      connection?.place(user: "ann", host: "s")
        == AskpassPrompt.Place(networkProtocol: "ssh", user: "ann", host: "s:2222", path: nil))
    #expect(connection?.place(user: "bob", host: "s") == nil)
    #expect(connection?.place(user: "ann", host: "shell") == nil)
    #expect(SSHConnection(configuration: "user ann\nport 22\n") == nil)
  }
}
