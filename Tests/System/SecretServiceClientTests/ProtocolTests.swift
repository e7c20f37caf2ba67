import ProgramTesting
import Testing

/// Our own clients, right and wrong, on a private bus.
@Suite("The Secret Service on a bus")
struct ProtocolTests {
  private func expectSuccess(_ result: Sandbox.Result) {
    #expect(result.status == 0, "\(result.output)\(result.errors)")
  }

  @Test("signals, properties and errors are those of the protocol, and it ends when it is idle")
  func protocolItself() throws {
    expectSuccess(try PrivateBus(idle: 1).run(Clients.script("protocol.py")))
  }

  @Test("a client that wants too much is refused, and others are served")
  func hostile() throws {
    expectSuccess(try PrivateBus(idle: 60).run(Clients.script("hostile.py"), limit: 120))
  }

  @Test("killed in the middle of calls, it has kept what it answered, and comes back")
  func killed() throws {
    expectSuccess(try PrivateBus().run(Clients.script("killed.py")))
  }

  /// A pinentry that answers as Assuan has it; `$answer` is what it says when it is asked.
  private func pinentry(_ answer: String) -> String {
    """
    #!/bin/sh
    echo OK ready
    while read -r command rest; do
      case $command in
      OPTION) echo ERR 1 unknown option ;;
      GETPIN) \(answer) ;;
      BYE) exit ;;
      *) echo OK ;;
      esac
    done
    """
  }

  @Test("a locked vault is opened by a pinentry, after a wrong passphrase, too")
  func typed() throws {
    let answer =
      "if [ -e asked ]; then echo D correct%20horse; else echo D no; fi; : >asked; echo OK"
    try expectPrompt("typed", pinentry("cd \"$HOME\"; " + answer))
  }

  @Test(
    "a prompt that is closed, breaks or does not exist is dismissed",
    arguments: ["echo ERR 83886179 cancelled", "exit", "echo D no; echo OK", nil])
  func dismissed(answer: String?) throws {
    try expectPrompt("dismissed", answer.map(pinentry) ?? "not a program")
  }

  @Test("a prompt that nobody answers ends with its client")
  func left() throws {
    try expectPrompt("left", pinentry("sleep 1000"))
  }

  private func expectPrompt(_ ending: String, _ pinentry: String) throws {
    let bus = try PrivateBus(passphrase: "correct horse", pinentry: pinentry)
    let added = try bus.run(
      [
        "vaultctl", "add", "--service", "web", "-a", "ann", "--passphrase-file", "passphrase",
        "--password-stdin",
      ], input: "of the vault")
    expectSuccess(added)
    expectSuccess(try bus.run(Clients.script("prompt.py", ending)))
  }
}
