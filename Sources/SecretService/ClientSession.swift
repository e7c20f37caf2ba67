import BusMessages
import SecureMemory
import VaultModel

/// A session of a client: how secrets are carried to it and from it.
final class ClientSession {
  /// Nil for secrets that are carried as they are.
  private let key: Secret?

  private init(key: Secret?) {
    self.key = key
  }

  /// Opens a session.
  ///
  /// - Returns: The session, and what the client needs to know.
  /// - Throws: ``BusError`` for an algorithm that is not spoken here, or a wrong public key.
  static func open(
    _ algorithm: String, _ input: BusValue
  ) throws(BusError) -> (session: ClientSession, output: BusValue) {
    switch algorithm {
    case "plain":
      guard input.text == "" else { throw .invalid("plain takes an empty text") }
      return (ClientSession(key: nil), .text(""))
    case KeyAgreement.algorithm:
      guard let peer = input.bytes else { throw .invalid("\(algorithm) takes a public key") }
      do throws(VaultError) {
        let (number, key) = try KeyAgreement.agree(with: peer)
        return (ClientSession(key: key), .bytes(number))
      } catch {
        throw BusError(error)
      }
    default: throw .unsupported("the algorithm is not known")
    }
  }

  /// Returns a secret in the form in which it is carried.
  func carried(
    _ secret: Secret, _ contentType: String, at path: String
  ) throws(BusError) -> BusValue {
    do throws(VaultError) {
      guard let key else {
        return .structure([.path(path), .bytes(Secret("")), .bytes(secret), .text(contentType)])
      }
      let (iv, bytes) = try SessionCipher.encrypt(secret, key)
      return .structure([.path(path), .bytes(iv), .bytes(bytes), .text(contentType)])
    } catch {
      throw BusError(error)
    }
  }

  /// Returns the secret that a client sent.
  func secret(_ parameters: Secret, _ value: Secret) throws(BusError) -> Secret {
    do throws(VaultError) {
      guard let key else {
        guard parameters.count == 0 else {
          throw VaultError(.invalidArgument, "plain has no parameters")
        }
        return value
      }
      return try SessionCipher.decrypt(value, iv: parameters, key)
    } catch {
      throw BusError(error)
    }
  }
}

/// The numbered objects of clients, bounded for each client and in all.
struct ClientObjects<Value> {
  private let prefix: String
  private let mostOfOne: Int
  private let most: Int
  private var objects: [String: (owner: String, value: Value)] = [:]
  private var counts: [String: Int] = [:]
  private var last: UInt64 = 0

  /// - Parameters:
  ///   - prefix: The start of the paths.
  ///   - mostOfOne: The most objects of one client.
  ///   - most: The most objects in all.
  init(prefix: String, mostOfOne: Int, most: Int) {
    (self.prefix, self.mostOfOne, self.most) = (prefix, mostOfOne, most)
  }

  var isEmpty: Bool { objects.isEmpty }

  /// Adds an object.
  ///
  /// - Returns: Its path, which no other object had before.
  mutating func add(_ value: Value, of owner: String) throws(BusError) -> String {
    guard objects.count < most, counts[owner, default: 0] < mostOfOne else { throw .tooMany }
    last += 1
    let path = "\(prefix)\(last)"
    objects[path] = (owner, value)
    counts[owner, default: 0] += 1
    return path
  }

  /// Returns the object at a path, if it is the client's.
  func object(_ path: String, of owner: String) -> Value? {
    guard let object = objects[path], object.owner == owner else { return nil }
    return object.value
  }

  @discardableResult
  mutating func remove(_ path: String) -> Value? {
    guard let object = objects.removeValue(forKey: path) else { return nil }
    counts[object.owner, default: 1] -= 1
    if counts[object.owner] == 0 { counts[object.owner] = nil }
    return object.value
  }

  /// Removes what a client had that has left the bus.
  mutating func removeAll(of owner: String) {
    guard counts.removeValue(forKey: owner) != nil else { return }
    objects = objects.filter { $0.value.owner != owner }
  }
}
