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
    #expect(place("ann@shell.example.com's password: ")?.host == "shell.example.com")
    #expect(place("ann@corp@shell.example.com's password: ")?.user == "ann@corp")
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
}
