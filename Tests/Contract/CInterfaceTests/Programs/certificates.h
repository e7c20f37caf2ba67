/* Certificates that the openssl program makes when a test runs. */
#include <stdio.h>
#include <stdlib.h>

/* Runs a shell's script and reads what it writes; 0 bytes if it fails. */
static inline size_t script_output(const char *script, unsigned char *bytes, size_t room) {
  FILE *const pipe = popen(script, "r");
  if (pipe == NULL) return 0;
  const size_t count = fread(bytes, 1, room, pipe);
  return pclose(pipe) == 0 ? count : 0;
}

/*
 * In a folder FOLDER: root.pem, leaf.pem with its key, signed by the root, own.pem and other.pem,
 * signed by themselves and for the host of the leaf, each also in DER, root.crl of nothing, and
 * leaf.p12 with the passphrase `secret`.
 */
static inline int make_certificates(const char *folder, const char *host) {
  static const char script[] =
      "set -e; exec >/dev/null 2>&1; mkdir -p $FOLDER; cd $FOLDER; K='-newkey ec -nodes -pkeyopt ec_paramgen_curve:P-256'\n"
      "openssl req -x509 $K -keyout root.key -out root.pem -days 30 -subj /CN=root"
      " -addext keyUsage=critical,keyCertSign,cRLSign\n"
      "for name in own other; do openssl req -x509 $K -keyout $name.key -out $name.pem -days 30"
      " -subj /CN=$name -addext subjectAltName=DNS:$HOST; done\n"
      "openssl req $K -keyout leaf.key -out leaf.csr -subj /CN=leaf\n"
      "echo subjectAltName=DNS:$HOST >leaf.ext\n"
      "openssl x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 7 -days 30"
      " -extfile leaf.ext -out leaf.pem\n"
      "for name in root own other leaf; do openssl x509 -in $name.pem -outform DER -out $name.cer; done\n"
      ": >index; printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index\\ndefault_md=sha256\\ndefault_crl_days=30\\n' >ca\n"
      "openssl ca -config ca -gencrl -keyfile root.key -cert root.pem -out crl.pem\n"
      "openssl crl -in crl.pem -outform DER -out root.crl\n"
      "openssl pkcs12 -export -inkey leaf.key -in leaf.pem -certfile root.pem -name 'a name'"
      " -iter 1 -passout pass:secret -out leaf.p12\n";
  char text[4096];
  snprintf(text, sizeof text, "FOLDER='%s'; HOST='%s'; %s", folder, host, script);
  return system(text) == 0;
}

static inline size_t read_file(
    const char *folder, const char *name, unsigned char *bytes, size_t room) {
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *const file = fopen(path, "rb");
  if (file == NULL) return 0;
  const size_t count = fread(bytes, 1, room, file);
  fclose(file);
  return count;
}
