import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Tests see the same on a bare server and in somebody's session.
@Suite("the tests' environment", .waiting)
struct EnvironmentTests {
  /// Variables that change what a client, a library or `vaultctl` does.
  private static let foreign: [String: String] = [
    "ALL_PROXY": "http://127.0.0.1:1", "BROWSER": "/bin/false", "CURL_HOME": "/nonexistent",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "DISPLAY": ":99",
    "DOCKER_CONFIG": "/nonexistent", "EDITOR": "/bin/false", "GIT_ASKPASS": "/bin/false",
    "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper", "GIT_CONFIG_VALUE_0": "none",
    "GIT_DIR": "/nonexistent", "GNUPGHOME": "/nonexistent", "HOME": "/nonexistent/home",
    "KRB5CCNAME": "/nonexistent", "LANG": "de_DE.UTF-8", "LC_ALL": "tr_TR.UTF-8",
    "MALLOC_PERTURB_": "7", "NETRC": "/nonexistent", "NO_PROXY": "example.com",
    "PAGER": "/bin/false", "PATH": "/nonexistent", "PGHOST": "/nonexistent", "PGPASSWORD": "x",
    "PYTHONHOME": "/nonexistent", "SSH_ASKPASS": "/bin/false", "SSH_AUTH_SOCK": "/nonexistent",
    "SSL_CERT_FILE": "/nonexistent", "TMPDIR": "/nonexistent", "TZ": "Asia/Kathmandu",
    "VAULTCTL_KEY_FILE": "/nonexistent", "VAULTCTL_PASSPHRASE": "x",
    "VAULTCTL_TRUSTED_FOLDERS": "/nonexistent", "VAULTCTL_VAULT": "/nonexistent",
    "WAYLAND_DISPLAY": "wayland-9", "XDG_CONFIG_HOME": "/nonexistent",
    "XDG_DATA_HOME": "/nonexistent", "XDG_RUNTIME_DIR": "/nonexistent",
    "XDG_STATE_HOME": "/nonexistent", "http_proxy": "http://127.0.0.1:1",
    "https_proxy": "http://127.0.0.1:1",
  ]

  @Test("this process has no variable but those that tests set, or that choose tests")
  func own() {
    let fixed = [
      "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
      "SWIFT_BACKTRACE": "enable=no", "TZ": "UTC",
    ]
    let variables = ProcessInfo.processInfo.environment
    for (name, value) in fixed { #expect(variables[name] == value) }
    let setByTests: Set = [
      "SOFTHSM2_CONF", "VAULTCTL_KEY_FILE", "VAULTCTL_VAULT", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
    ]
    let kept = #/(SWT|VAULT)_.*|(A|T|UB)SAN_OPTIONS|LLVM_PROFILE_FILE/#
    for (name, value) in variables where fixed[name] == nil {
      let isSet = setByTests.contains(name) && value != Self.foreign[name]
      #expect(isSet || name.wholeMatch(of: kept) != nil, "\(name)")
    }
  }

  @Test("a program that a test starts has the sandbox's variables and no other")
  func child() throws {
    let sandbox = try Sandbox()
    let result = try sandbox.run("env", "-0")
    let lines = result.output.split(separator: "\0").map {
      $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
    let seen = Dictionary(uniqueKeysWithValues: lines.map { ($0[0], $0[1]) })
    #expect(seen == sandbox.environment)
    #expect(Self.foreign.allSatisfy { seen[$0.key] != $0.value })
    let places = ["HOME", "PATH", "VAULTCTL_KEY_FILE", "VAULTCTL_VAULT"].compactMap { seen[$0] }
    #expect(places.count == 4)
    #expect(places.allSatisfy { $0.hasPrefix(sandbox.folder.path) }, "\(places)")
  }

  @Test("a program finds the allowed programs and no other, whatever is installed")
  func programs() throws {
    let sandbox = try Sandbox()
    let allowed = try sandbox.run(
      "sh", "-c", "for name in sh git python3 vaultctl cc swift; do command -v $name; done")
    #expect(allowed.lines.count == 6)
    #expect(allowed.lines.allSatisfy { $0.hasPrefix("\(sandbox.folder.path)/") })
    let other = try sandbox.run(
      "sh", "-c",
      """
      for name in xclip xsel wl-copy wl-paste gnome-keyring-daemon secret-tool keyring pinentry \
        systemctl sudo xdg-open zenity; do command -v $name; done
      """)
    #expect(other.output == "")
  }

  @Test("the variables of whoever runs the tests reach neither them nor their programs")
  func hostile() throws {
    let sandbox = try Sandbox()
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let changes = Self.foreign.merging(["PATH": sandbox.environment["PATH"] ?? ""]) { $1 }
    let result = try sandbox.run(
      [
        tests, "--testing-library", "swift-testing", "--filter",
        #"EnvironmentTests/(own|child|programs)\(\)"#,
      ], environment: changes)
    let report = result.output + result.errors
    #expect(result.status == 0, "\(report)")
    #expect(report.contains("Test run with 3 tests"), "\(report)")
  }
}
