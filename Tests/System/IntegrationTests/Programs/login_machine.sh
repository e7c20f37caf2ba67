#!/bin/bash
# A machine of its own for logins: files of users and of PAM that only this process sees.
#
#   unshare -m login_machine.sh VAULTCTL PAMTESTER SCRIPT
#
# The script has `user COMMAND...`, which runs as vaulttest, whose password is `correct horse`;
# `login SERVICE PASSWORD`, which authenticates as that user; `switch PASSWORD COMMAND`, a real su of
# another user; and `change PASSWORD`, for the login alone.
set -euo pipefail
vaultctl=$1 pamtester=$2 script=$3
machine=$(mktemp -d)
trap 'umount /etc/passwd /etc/group /etc/shadow /etc/pam.d; rm -rf "$machine"' EXIT
chmod 755 "$machine"
mkdir "$machine/bin" "$machine/home"
cp "$vaultctl" "$machine/bin/vaultctl"
sed "s|@bindir@|$machine/bin|" Packaging/login/vaultctl-login >"$machine/bin/vaultctl-login"
chmod 755 "$machine/bin" "$machine"/bin/*
cp /etc/passwd /etc/group /etc/shadow "$machine"
printf 'vaulttest:x:54321:54321::%s:/bin/bash\n' "$machine/home" >>"$machine/passwd"
printf 'vaulttest:x:54321:\n' >>"$machine/group"
change() {
  sed -i '/^vaulttest:/d' "$machine/shadow.new" 2>/dev/null || cp "$machine/shadow" "$machine/shadow.new"
  printf 'vaulttest:%s:19000:0:99999:7:::\n' "$(openssl passwd -6 "$1")" >>"$machine/shadow.new"
  cat "$machine/shadow.new" >"$machine/shadow"
}
change 'correct horse'
chown 54321:54321 "$machine/home"
chmod 700 "$machine/home"
# Debian's services, as far as they ask for a password.
cp -a /etc/pam.d "$machine/pam.d"
printf '@include common-auth\n@include common-account\n' >"$machine/pam.d/sshd"
printf 'auth required pam_succeed_if.so user != root quiet_success\n@include common-auth\n%s\n' \
  'auth optional pam_gnome_keyring.so' >"$machine/pam.d/gdm-password"
printf 'auth requisite pam_nologin.so\n@include common-auth\n-auth optional pam_gnome_keyring.so\n' \
  >"$machine/pam.d/lightdm"
for file in passwd group shadow pam.d; do mount --bind "$machine/$file" "/etc/$file"; done
user() {
  setpriv --reuid=54321 --regid=54321 --clear-groups \
    env -i HOME="$machine/home" PATH="$machine/bin:/usr/bin:/bin" "$@"
}
login() { "$pamtester" "$1" vaulttest authenticate <<<"$2" >/dev/null 2>&1; }
switch() {
  setpriv --reuid=65534 --regid=65534 --clear-groups env -i su vaulttest -c "$2" <<<"$1"
}
install() { # install: the lines of the page, with this machine's program
  local lines
  lines=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside && /pam|sed/' \
    Documentation/login.md | sed "s|/usr/libexec|$machine/bin|")
  for service in login sshd gdm-password lightdm su; do
    eval "${lines//pam.d\/login/pam.d/$service}"
  done
}
cd "$PWD"
eval "$script"
