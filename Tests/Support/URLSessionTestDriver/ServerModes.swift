import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Sends requests over an engine one after the other, as the lines of the input say, with the vault
/// at a path and its key file.
///
/// `answer USER PASSWORD` sets the prompt's next answer, and `header NAME VALUE` a header of the
/// next request; `get URL`, `put URL TEXT` and `download URL` are requests.
///
/// - Returns: A line for each request: "200" and the body, or for a download its length, or
///   "error", domain and code; then one for each question.
func request(_ arguments: [String]) async throws -> [String] {
  guard arguments.count == 3, let engine = Engine(rawValue: arguments[0]) else {
    throw POSIXError(.EINVAL)
  }
  let prompt = InputPrompt()
  let vault = try await Vault.open(path: arguments[1], key: .keyFile(arguments[2]))
  let session = try engine.session(by: vault, prompt: prompt)
  var said: [String] = []
  var headers: [String: String] = [:]
  let input = try FileHandle.standardInput.readToEnd() ?? Data()
  for line in String(decoding: input, as: UTF8.self).split(separator: "\n") {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let rest = words.count > 2 ? words[2] : ""
    switch words[0] {
    case "answer": prompt.add(words[1], rest)
    case "header": headers[words[1]] = rest
    default:
      guard let url = URL(string: words[1]) else { throw POSIXError(.EINVAL) }
      var request = URLRequest(url: url)
      for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
      headers = [:]
      said.append(try await send(words[0], request, text: rest, by: session))
    }
  }
  session.session?.finishTasksAndInvalidate()
  return said + prompt.questions
}

/// Sends one request.
private func send(
  _ kind: String, _ request: URLRequest, text: String, by session: AuthenticatedSession
) async throws -> String {
  var request = request
  do {
    let (body, response): (Data, URLResponse)
    switch kind {
    case "get": (body, response) = try await session.data(for: request)
    case "put":
      request.httpMethod = "PUT"
      (body, response) = try await session.upload(for: request, from: Data(text.utf8))
    case "download":
      let (file, reply) = try await session.download(for: request)
      (body, response) = (Data("\(try Data(contentsOf: file).count)".utf8), reply)
    default: throw POSIXError(.EINVAL)
    }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    // Foundation discards the body of a 401 that offers Basic.
    let text = status == 401 ? "" : String(decoding: body, as: UTF8.self)
    return "\(status) \(text.split(separator: "\n").first ?? "")"
  } catch let error as URLError {
    return "error \(URLError.errorDomain) \(error.errorCode)"
  }
}

/// A prompt that gives the input's answers, in order, and then gives up.
private final class InputPrompt: CredentialPrompt {
  private let state = Lock((answers: [Answer](), questions: [Question]()))

  func add(_ user: String, _ password: String) {
    let credential = Credential(user: user, secret: Secret(password), persistence: .permanent)
    state.withLock { $0.answers.append(.use(credential)) }
  }

  /// The questions: "protocol port realm method" each, and "clear" if the password would be sent in
  /// clear.
  var questions: [String] {
    state.withLock { state in
      state.questions.map { question in
        let space = question.space
        return "\(space.protocol) \(space.port) \(space.realm) \(space.authenticationMethod)"
          + (question.travelsInClear ? " clear" : "")
      }
    }
  }

  func answer(_ question: Question) async -> Answer {
    state.withLock { state in
      state.questions.append(question)
      return state.answers.isEmpty ? .cancel(.request) : state.answers.removeFirst()
    }
  }
}
