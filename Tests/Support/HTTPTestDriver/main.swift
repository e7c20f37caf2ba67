import CredentialVault
import Glibc
import HTTPAuthentication
import SecureMemory
import VaultModel

// A program with a terminal prompt, which asks one question and prints the answer, but for secrets:
// their length, and whether they are the expected one. Its first argument is `answer`, `key` or
// `download`, the others are `name=value`.
let words = CommandLine.arguments.dropFirst()
let pairs = words.dropFirst().map { word in
  word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
}
let values = Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
let before = Settings()
let expected = Secret(values["expected"] ?? "")

/// A terminal's settings; empty without a terminal.
struct Settings: Equatable {
  var text = "no terminal"
  var echoes = true

  init() {
    // A literal, which ends with NUL.
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_NOCTTY)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var settings = termios()
    // The structure is ours.
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { return }
    echoes = settings.c_lflag & tcflag_t(ECHO) != 0
    text = "\(settings.c_iflag) \(settings.c_oflag) \(settings.c_lflag) \(settings.c_cc)"
  }
}

func describe(_ secret: Secret) -> String {
  "\(secret.count) bytes, expected: \(secret.isEqual(to: expected))"
}

func describe(_ answer: Answer) -> String {
  switch answer {
  case .use(let credential):
    "use \(credential.user), domain \(credential.accountDomain), \(credential.persistence), "
      + describe(credential.secret)
  case .useStored(let user): "stored \(user)"
  case .goOnWithout: "without"
  case .declineScheme: "decline"
  case .cancel(let cancellation): "cancel \(cancellation)"
  }
}

func ask() async throws(VaultError) -> String {
  let prompt = TerminalPrompt(
    offering: values["offering"].flatMap(UInt8.init).flatMap(Persistence.init) ?? .permanent)
  guard words.first == "answer" else {
    let key = await prompt.key(
      UnlockQuestion(path: values["path"], failures: Int(values["failures"] ?? "") ?? 0))
    switch key {
    // With a key file, a slot may need both.
    case .passphrase(let secret), .both(.passphrase(let secret), _):
      return "passphrase, " + describe(secret)
    default: return "no key"
    }
  }
  let url = try RequestURL(values["url"] ?? "http://www.example.com/page")
  let method = try AuthenticationMethod(values["scheme"] ?? "basic")
  let realm = values["realm"] ?? "Realm"
  let space =
    if let proxy = values["proxy"] {
      try ProtectionSpace(
        proxyHost: proxy, port: 3128, type: .httpProxy, realm: realm, authenticationMethod: method)
    } else {
      try ProtectionSpace(
        host: url.origin.host.name, port: Int(url.origin.port), protocol: url.origin.protocol,
        realm: realm, authenticationMethod: method)
    }
  return describe(
    await prompt.answer(
      Question(
        space: space, url: url, requiresAccountDomain: values["domain"] != nil,
        user: values["account"], failedUser: values["failed"],
        failures: Int(values["failures"] ?? "") ?? 0,
        storedUsers: values["stored"]?.split(separator: ",").map(String.init) ?? [])))
}

let task = Task.detached { () -> String in
  do {
    return try await words.first == "download" ? download(expected) : ask()
  } catch {
    return "error \((error as? VaultError)?.code.description ?? "of another kind")"
  }
}
switch values["cancel"] {
case "before": task.cancel()
case "hidden":
  // The prompt for the password waits, or is about to.
  while Settings().echoes { await Task.yield() }
  task.cancel()
default: break
}
let text = await task.value + "; terminal as before: \(Settings() == before)\n"
let bytes = Array(text.utf8)
// The array has as many bytes as are written.
_ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
