import Foundation
import ProgramTesting
import TestTraits
import Testing

/// systemd's units: those that are installed, and those that `vaultctl setup` writes.
@Suite("systemd's units", .waiting)
struct UnitsTests {
  private static let hasSystemd = FileManager.default.fileExists(
    atPath: "/usr/bin/systemd-analyze")
  private static let bus = "org.freedesktop.secrets"

  private let sandbox: Sandbox
  /// As the README installs it.
  private let prefix: URL
  private var installed: URL { prefix.appending(path: "share/systemd/user") }
  private var own: URL { sandbox.home.appending(path: ".config/systemd/user") }

  init() throws {
    sandbox = try Sandbox()
    prefix = sandbox.home.appending(path: ".local")
    let result = try sandbox.install(in: prefix)
    try #require(result.status == 0, "\(result.errors)")
  }

  private func units(_ folder: URL) throws -> [String: String] {
    var units: [String: String] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      units[name] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }
    return units
  }

  /// Writes the user's own units, for a vault whose path has all that units and buses quote.
  private func setUp() throws {
    let path = sandbox.home.appending(path: "it's 100% \"$HOME\" \\ of us/v").path
    let programs = "\(prefix.path)/bin:\(sandbox.environment["PATH"] ?? "")"
    for program in ["systemd", "secret-service"] {
      let result = try sandbox.run(
        "vaultctl", "setup", program, "--apply",
        environment: ["VAULTCTL_VAULT": path, "PATH": programs])
      try #require(result.status == 0, "\(result.errors)")
    }
  }

  @Test(
    "they are where the user's manager looks, below ~/.local as below /usr and /usr/local",
    .enabled(if: hasSystemd, "there is no systemd-analyze here"))
  func folder() throws {
    let paths = try sandbox.run("systemd-analyze", "--user", "unit-paths")
    #expect(paths.status == 0, "\(paths.errors)")
    for prefix in [prefix.path, "/usr", "/usr/local"] {
      #expect(paths.lines.contains("\(prefix)/share/systemd/user"), "\(prefix)")
    }
    let folders =
      ["Packaging/systemd"].map { Project.root.appending(path: $0) }
      + Project.extras.map { $0.appending(path: "Packaging/share/systemd/user") }
    let names = try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }
    #expect(try units(installed).keys.sorted() == names.sorted())
    // Nothing is where it would not be found.
    #expect(!FileManager.default.fileExists(atPath: prefix.appending(path: "lib/systemd").path))
  }

  @Test(
    "systemd accepts them, and those that setup writes",
    .enabled(if: hasSystemd, "there is no systemd-analyze here"))
  func accepted() throws {
    try setUp()
    for folder in [installed, own] {
      for name in try units(folder).keys.sorted() {
        let result = try sandbox.run(
          "systemd-analyze", "--user", "--man=no", "verify", folder.appending(path: name).path,
          environment: ["XDG_RUNTIME_DIR": sandbox.home.path])
        #expect(result.status == 0, "\(name)")
        #expect(result.output + result.errors == "", "\(name)")
      }
    }
  }

  /// Each service, with the exit status of its command where there is a vault, but neither a server
  /// nor a bus.
  @Test(
    "their commands are installed, and take these options",
    arguments: [
      ("vaultctl-backup", 0), ("vaultctl-purge", 0), ("vaultctl-fleet", 78),
      ("vaultctl-fleet-sync", 64), ("vaultctl-secret-service", 69),
    ] as [(String, Int32)])
  func commands(_ service: String, _ status: Int32) throws {
    try #require(try sandbox.makeVault().status == 0)
    let unit = try #require(try units(installed)["\(service).service"])
    let commands = unit.matches(of: /(?m)^ExecStart(?:Pre)?=(.+)$/).map { match in
      match.1.replacing("%h", with: sandbox.home.path).split(separator: " ").map(String.init)
    }
    let last = try #require(commands.last)
    for command in commands.dropLast() { #expect(try sandbox.run(command).status == 0) }
    #expect(last[0].hasPrefix(prefix.path))
    let result = try sandbox.run(
      last, environment: ["DBUS_SESSION_BUS_ADDRESS": nil, "XDG_RUNTIME_DIR": nil])
    #expect(result.status == status, "\(result.errors)")
  }

  @Test("the units that setup writes are those of the packages, but for their commands")
  func alike() throws {
    try setUp()
    let installed = try units(installed).mapValues(Self.lines)
    let written = try units(own)
    // A machine's share in a fleet is not set up by that command.
    let others = installed.keys.filter { $0.hasPrefix("vaultctl-fleet") }
    #expect(others.count == 3)
    #expect(Set(written.keys) == Set(installed.keys).subtracting(others))
    for (name, text) in written { #expect(Self.lines(text) == installed[name], "\(name)") }
  }

  /// Returns the lines of a unit without those in which the two differ.
  private static func lines(_ unit: String) -> [Substring] {
    unit.split(separator: "\n").filter { line in
      !["#", "ExecStart", "Documentation="].contains { line.hasPrefix($0) }
    }
  }

  @Test("each timer starts the service of its name, which ends when its work is done")
  func timers() throws {
    let units = try units(installed)
    let timers = units.keys.filter { $0.hasSuffix(".timer") }
    #expect(timers.count == 3)
    for timer in timers {
      let service = try #require(units[timer.dropLast(6) + ".service"])
      #expect(service.contains("\nType=oneshot\n") && !service.contains("[Install]"), "\(timer)")
      #expect(units[timer]?.contains("\nWantedBy=timers.target\n") == true, "\(timer)")
    }
  }

  @Test("the bus's file names the unit, which takes the bus's name")
  func activation() throws {
    try setUp()
    let file = sandbox.home.appending(path: ".local/share/dbus-1/services/\(Self.bus).service")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\nName=\(Self.bus)\n"))
    #expect(text.contains("\nExec=/usr/bin/env "))
    let unit = try #require(text.firstMatch(of: /\nSystemdService=(.+)\n/)).1
    for folder in [installed, own] {
      let service = try #require(try units(folder)[String(unit)])
      #expect(service.contains("\nType=dbus\nBusName=\(Self.bus)\n"))
    }
  }
}
