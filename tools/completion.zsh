#compdef curator-lock
# SPDX-License-Identifier: Apache-2.0
# zsh completion for curator-lock

local -a common lock
common=(
  '(-z --servers)'{-z,--servers}'[the servers]:servers:_hosts'
  '--session-timeout[time-out of the session]:time:'
  '--connection-timeout[how long to wait for a server]:time:'
  '--name-space[prefix of all paths]:name:'
  '--data[data of our node]:text:'
  '--auth-file[file with scheme\:credentials]:file:_files'
  '--compress[write data as Java with enableCompression() does]'
  '*'{-v,--verbose}'[more messages]'
  '(-q --quiet)'{-q,--quiet}'[fewer messages]'
  '(-)'{-h,--help}'[help]'
  '(-)--version[version]'
)
lock=(
  '(-x --exclusive -s --shared --write)'{-x,--exclusive}'[the mutex]'
  '(-x --exclusive -s --shared --write)'{-s,--shared}'[the read side]'
  '(-x --exclusive -s --shared)--write[the write side]'
  '(-n --nonblock)'{-n,--nonblock}'[try once]'
  '(-w --wait --timeout)'{-w,--wait,--timeout}'[wait at most]:time:'
  '(-E --conflict-exit-code)'{-E,--conflict-exit-code}'[if not obtained]:status:'
  '--revocable[signal the command when asked]'
)
case $words[2] in
hold) shift words; ((CURRENT--)); _arguments -S $common $lock '--format[output]:format:(table json)' '1:lock path:' ;;
list) shift words; ((CURRENT--)); _arguments -S $common '--format[output]:format:(table json)' '--watch[follow]' '*:lock path:' ;;
test) shift words; ((CURRENT--)); _arguments -S $common '1:lock path:' ;;
revoke) shift words; ((CURRENT--)); _arguments -S $common '--holder[of the lock]:lock path:' '--all[of the queue]:lock path:' '1:node:' ;;
*)
  if ((CURRENT == 2)); then
    compadd run hold list test revoke
  elif [[ $words[2] == run ]]; then
    shift words; ((CURRENT--))
  fi
  _arguments -S $common $lock \
    '(-k --grace)'{-k,--grace}'[between signal and KILL]:time:' '--signal[on a loss]:signal:_signals -s' \
    '--on-lost[what a loss does]:what:(kill term ignore)' '--foreground[stay in our process group]' \
    '(-c --command)'{-c,--command}'[by /bin/sh]:string:' '1:lock path:' '*::command:_normal'
  ;;
esac
