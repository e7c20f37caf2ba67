import Foundation
import Glibc
import ProgramTesting
import TestTraits
import Testing

@Suite("the page on automation", .waiting)
struct AutomationPageTests {
  private let page: Markdown
  private let sandbox: Sandbox
  private let variables: [String: String?] = [
    "PW": "correct horse", "VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil,
  ]

  init() throws {
    page = Markdown(try Project.text(of: "Documentation/automation.md"))
    sandbox = try Sandbox()
    // What stands in for a program says how long its token is.
    for (name, variable) in [("deploy", "TOKEN"), ("report", "TOKEN"), ("tofu", "TF_VAR_token")] {
      _ = try sandbox.makeProgram(
        name, "#!/bin/sh\n[ ${#\(variable)} = 13 ] && echo \(name) >>ran\n")
    }
  }

  private func shell(_ script: String, _ more: [String: String?] = [:]) throws -> Sandbox.Result {
    try sandbox.run(
      ["bash", "-euo", "pipefail", "-c", script], environment: variables.merging(more) { $1 })
  }

  private func prepare() throws {
    let first = try #require(page.blocks.first { $0.language == "sh" }).text
    let result = try shell(first)
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Returns what a block of YAML has, as JSON decodes it.
  private func yaml(_ start: String) throws -> Any {
    let block = try #require(page.blocks.first { $0.text.hasPrefix(start) })
    let program = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)"
    let result = try sandbox.run("/usr/bin/python3", "-c", program, input: block.text)
    try #require(result.status == 0, "\(result.errors)")
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8))
  }

  private func ran() throws -> String { try shell("cat ran").output }

  @Test("its shell session runs as written, and prints what it says")
  func session() throws {
    let result = try sandbox.run(
      "bash", "-euo", "pipefail", "-c",
      """
      mkdir -m 700 .ssh secret; mv tofu ../bin/; ssh-keygen -q -t ed25519 -N 'correct horse' -f .ssh/id_ed25519
      """)
    try #require(result.status == 0, "\(result.errors)")
    let socket = sandbox.home.appending(path: "agent").path
    let agent = try RunningProgram(
      ["ssh-agent", "-D", "-a", socket], environment: sandbox.environment,
      folder: sandbox.home.path, input: FileHandle.nullDevice.fileDescriptor, output: STDERR_FILENO,
      errors: STDERR_FILENO)
    defer { agent.end() }
    while !FileManager.default.fileExists(atPath: socket) { try #require(try agent.isRunning) }
    // The volume's key is the one that the first lines make.
    let lines = page.blocks.map { block in
      Markdown.Block(
        language: block.language,
        text: block.text.replacing("install -m", with: "cp ~/ci.key ~/secret/key; install -m"))
    }
    var environment = variables
    environment["SSH_AUTH_SOCK"] = socket
    let text = lines.map { "```\($0.language)\n\($0.text)```\n" }.joined()
    let session = try ShellSession(Markdown(text)).run(in: sandbox, environment: environment)
    #expect(session.status == 0, "\(session.errors)")
    #expect(try ran() == "tofu\n")
  }

  @Test("GitHub's steps run, and so does GitLab's job")
  func workflows() throws {
    try prepare()
    let steps = try #require(
      (try yaml("steps:") as? [String: Any])?["steps"] as? [[String: Any]])
    let commands = steps.compactMap { $0["run"] as? String }
    let named = steps.compactMap { ($0["env"] as? [String: String])?["VAULTCTL_KEY"] }
    #expect(commands.count == 2 && named == ["${{ secrets.VAULTCTL_KEY }}"])
    let github = try shell(
      "chmod 644 ci.vault; export VAULTCTL_KEY=\"$(cat key.txt)\"\n"
        + commands.joined(separator: "\n"))
    #expect(github.status == 0, "\(github.errors)")

    let job = try #require(
      (try yaml("deploy:") as? [String: Any])?["deploy"] as? [String: [String]])
    let script = try #require(job["script"]) + (job["after_script"] ?? [])
    let gitlab = try shell(
      "chmod 644 ci.vault; cp key.txt /dev/shm/\(sandbox.folder.lastPathComponent); "
        + "export VAULT_KEY=/dev/shm/\(sandbox.folder.lastPathComponent); chmod 644 $VAULT_KEY\n"
        + script.joined(separator: "\n") + "\nrm $VAULT_KEY; [ ! -e ../job.key ]")
    #expect(gitlab.status == 0, "\(gitlab.errors)")
    #expect(try ran() == "deploy\ndeploy\n")
  }

  @Test("cron's line runs with its own PATH and nothing else")
  func cron() throws {
    try prepare()
    let table = try #require(page.blocks.first { $0.language == "crontab" }).text
      .split(separator: "\n")
    #expect(table[0].hasPrefix("PATH=/home/ann/.local/bin:"))
    let command = table[1].split(separator: " ", maxSplits: 5)[5]
    let result = try shell(
      """
      mkdir -p .local/bin .local/share/vaultctl .config/vaultctl; chmod 700 .config/vaultctl
      cp "$(command -v vaultctl)" .local/bin/; cp ci.vault .local/share/vaultctl/default.vault
      cp ci.key .config/vaultctl/default.key
      env -i HOME="$HOME" PATH="$HOME/.local/bin:/usr/bin:/bin" sh -c '\(command)'
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try ran() == "report\n")
  }

  private static let ansible = Project.root.appending(path: ".build/servers/ansible-core")

  @Test(
    "Ansible's playbook writes the secret that its lookup finds",
    .enabled(if: FileManager.default.fileExists(atPath: ansible.path)))
  func playbook() throws {
    try prepare()
    _ = try yaml("- hosts:")
    let text = try #require(page.blocks.first { $0.text.hasPrefix("- hosts:") }).text
    let libraries = Self.ansible.appending(path: "usr/lib/python3/dist-packages").path
    let result = try sandbox.run(
      [
        "sh", "-euc",
        """
        cat >play.yml; mkdir -m 700 tmp; export ANSIBLE_LOCAL_TEMP="$PWD/tmp" ANSIBLE_HOME="$PWD/tmp"
        /usr/bin/python3 "$0/usr/bin/ansible-playbook" -i localhost, -c local play.yml; cat app.conf
        """, Self.ansible.path,
      ], input: text,
      environment: [
        "PYTHONPATH": libraries, "VAULTCTL_VAULT": sandbox.home.appending(path: "ci.vault").path,
        "VAULTCTL_KEY_FILE": sandbox.home.appending(path: "ci.key").path,
        "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3",
      ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasSuffix("\ntoken = correct horse\n"), "\(result.output)")
  }

  @Test(
    "in volumes of a pod's owners and modes a key is refused with a way on, and the page's way works",
    .enabled(if: geteuid() == 0))
  func pod() throws {
    try prepare()
    let pod = try #require(try yaml("apiVersion:") as? [String: Any])
    let spec = try #require(pod["spec"] as? [String: Any])
    let context = try #require(spec["securityContext"] as? [String: Any])
    #expect(context["fsGroup"] as? Int == 65532)
    #expect(context["fsGroupChangePolicy"] as? String == "OnRootMismatch")
    let container = try #require((spec["containers"] as? [[String: Any]])?.first)
    let named = try #require(container["env"] as? [[String: Any]])
    #expect(named.compactMap { $0["name"] as? String } == ["VAULTCTL_VAULT", "VAULTCTL_KEY"])
    #expect(named[0]["value"] as? String == "/volume/own/default.vault")
    let script = """
      mount -t tmpfs none "$0"; chmod 755 "$0"; cd "$0"; mkdir secret volume home
      cp "$2" vaultctl; chmod 755 vaultctl; chown 65532 home
      mount -t tmpfs none secret; cp "$1/ci.key" secret/key; chmod 440 secret/key
      chown root:65532 secret/key volume; mount -o remount,ro secret; chmod 2775 volume
      pod() { setpriv --reuid=65532 --regid=65532 --clear-groups env -i HOME="$0/home" "$@"; }
      pod VAULTCTL_VAULT="$0/volume/own/default.vault" VAULTCTL_KEY="$(cat "$1/key.txt")" \
        ./vaultctl init -q
      pod VAULTCTL_VAULT="$0/volume/own/default.vault" VAULTCTL_KEY="$(cat "$1/key.txt")" \
        ./vaultctl list
      pod VAULTCTL_VAULT="$0/volume/own/default.vault" VAULTCTL_KEY_FILE="$0/secret/key" \
        ./vaultctl list && exit 3
      pod VAULTCTL_VAULT="$0/volume/v" VAULTCTL_KEY="$(cat "$1/key.txt")" ./vaultctl init && exit 4
      exit 0
      """
    let mount = sandbox.folder.appending(path: "pod")
    try FileManager.default.createDirectory(at: mount, withIntermediateDirectories: false)
    let result = try sandbox.run([
      "unshare", "--mount", "--propagation", "private", "bash", "-euc", script, mount.path,
      sandbox.home.path, Project.products.appending(path: "vaultctl").path,
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("install -m 600 \(mount.path)/secret/key COPY"))
    #expect(result.errors.contains("\(mount.path)/volume/own/default.vault, which init makes"))
    #expect(!result.errors.contains("chmod 600"))
  }
}
