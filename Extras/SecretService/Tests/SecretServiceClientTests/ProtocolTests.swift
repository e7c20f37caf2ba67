import Foundation
import ProgramTesting
import CredentialVault
import TestTraits
import Testing

/// Our own clients, right and wrong, on a private bus.
@Suite("The Secret Service on a bus", .waiting)
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
    // The session outlives the service if its key can.
    let bus = try PrivateBus(sharesSession: Self.hasKeyrings)
    let collections = Self.hasKeyrings ? ["login", "session"] : ["login"]
    expectSuccess(try bus.run(Clients.script("killed.py") + collections))
    #expect(try bus.run("vaultctl", "lock").status == 0)
  }

  @Test("its manual page has every section that the pages of the helpers have")
  func manualPage() throws {
    let page = try Sandbox().run(PrivateBus.service, "--man")
    expectSuccess(page)
    for section in ["OPTIONS", "EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] {
      #expect(page.lines.contains(".SH \(section)"), "\(section)")
    }
  }

  @Test("--owner names the program on the bus of either variable, also if its file cannot be read")
  func owner() throws {
    let bus = try PrivateBus(idle: 60)
    // The superuser loses the right to read other processes' files.
    let user = geteuid() == 0 ? ["setpriv", "--bounding-set", "-sys_ptrace"] : []
    let words = user + [PrivateBus.service, "--owner"]
    #expect(try bus.run(words).status == 44)
    expectSuccess(try bus.run(Clients.script("owner.py")))
    let noAddress: [String: String?] = [
      "DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": bus.sandbox.home.path,
    ]
    for changes in [[:], noAddress] {
      let result = try bus.run(words, environment: changes)
      #expect(result.output == PrivateBus.service + "\n", "\(result.errors)")
    }
    let nowhere = noAddress.merging(["XDG_RUNTIME_DIR": "/nowhere"]) { $1 }
    #expect(try bus.run(words, environment: nowhere).status == 69)
  }

  private static let hasKeyrings = (try? RememberedKey.require()) != nil

  @Test(
    "a session of $XDG_RUNTIME_DIR is that of other programs, and outlives the service",
    .enabled("the kernel's keyrings are denied here") { hasKeyrings })
  func sharedSession() throws {
    let bus = try PrivateBus(idle: 1, sharesSession: true)
    expectSuccess(try bus.run(Clients.script("shared.py")))
    #expect(try bus.run("vaultctl", "find", "-w", "--service", "web").output == "of the session\n")
    // The kernel forgets the session's key.
    #expect(try bus.run("vaultctl", "lock").status == 0)
  }

  @Test("a locked vault is opened by a pinentry, after a wrong passphrase, too")
  func typed() throws {
    let answer =
      "if [ -e asked ]; then echo D correct%20horse; else echo D no; fi; : >asked; echo OK"
    try expectPrompt("typed", PrivateBus.pinentry("cd \"$HOME\"; " + answer))
  }

  @Test(
    "a prompt that is closed, breaks or does not exist is dismissed",
    arguments: [
      PrivateBus.pinentry("echo ERR 83886179 cancelled"), PrivateBus.pinentry("exit"),
      PrivateBus.pinentry("echo D no; echo OK"),
      "not a program", nil,
    ])
  func dismissed(pinentry: String?) throws {
    try expectPrompt("dismissed", pinentry)
  }

  @Test(
    "prompts that nobody answers are few and show one window, which ends with their clients",
    arguments: ["left", "many"])
  func left(ending: String) throws {
    let answer = "sleep 1000 & echo $$ $! >>\"$HOME/asked\"; wait"
    try expectPrompt(ending, PrivateBus.pinentry(answer))
  }

  @Test("a portal's call waits for the passphrase, and is answered with its pipe still open")
  func portal() throws {
    let pinentry = PrivateBus.pinentry("echo D correct%20horse; echo OK")
    let bus = try PrivateBus(passphrase: "correct horse", pinentry: pinentry)
    expectSuccess(try bus.run(Clients.script("portal.py")))
  }

  @Test("the portal's file has all keys without which a portal before 1.18 skips it")
  func portalFile() throws {
    let file = Project.root.appending(
      path: "Extras/SecretService/Packaging/share/xdg-desktop-portal/portals/vaultctl.portal")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(
      lines == [
        "[portal]", "DBusName=org.freedesktop.secrets",
        "Interfaces=org.freedesktop.impl.portal.Secret", "UseIn=vaultctl",
      ])
  }

  @Test("a passphrase unlocks nothing if its prompt is dismissed while the key is derived")
  func late() throws {
    try expectPrompt(
      "late", PrivateBus.pinentry("echo D correct%20horse; echo OK; : >\"$HOME/asked\""))
  }

  @Test(
    "a search of a locked vault is answered when the passphrase was typed, or refused with it",
    arguments: [("searched", "echo D correct%20horse; echo OK"), ("refused", "echo ERR 83886179")])
  func searched(ending: String, answer: String) throws {
    let wait = "cd \"$HOME\"; : >asked; while [ ! -e answer ]; do sleep 0.05; done; "
    try expectPrompt(ending, PrivateBus.pinentry(wait + answer))
  }

  private func expectPrompt(_ ending: String, _ pinentry: String?) throws {
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
