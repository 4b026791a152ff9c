# SPDX-License-Identifier: Apache-2.0
# bash completion for curator-lock

_curator_lock() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=run i=1 word
    case ${COMP_WORDS[1]} in
    run | hold | list | test | revoke)
        command=${COMP_WORDS[1]}
        i=2
        ;;
    esac
    local common="--servers --session-timeout --connection-timeout --name-space --data --auth-file --compress --verbose
        --quiet --help --version"
    local lock="--exclusive --shared --write --nonblock --wait --conflict-exit-code --revocable"
    local with_value=" -z --servers --session-timeout --connection-timeout --name-space --data --auth-file -w --wait
        --timeout -E --conflict-exit-code -k --grace --signal --on-lost -c --command --format --holder --all "
    # Behind the lock's path comes the command, with its own completion.
    if [[ $command == run ]]; then
        for (( ; i < COMP_CWORD; i++)); do
            word=${COMP_WORDS[i]}
            if [[ $word == /* && $with_value != *[[:space:]]${COMP_WORDS[i - 1]}[[:space:]]* ]]; then
                if declare -F _command_offset >/dev/null; then
                    _command_offset $((i + 1))
                fi
                return
            fi
        done
    fi
    case $previous in
    --on-lost) mapfile -t COMPREPLY < <(compgen -W "kill term ignore" -- "$current") ;;
    --signal) mapfile -t COMPREPLY < <(compgen -A signal -P "" -- "$current") ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "table json" -- "$current") ;;
    --auth-file) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    -z | --servers) mapfile -t COMPREPLY < <(compgen -A hostname -- "$current") ;;
    *)
        case $command in
        run) common+=" $lock --grace --signal --on-lost --foreground --command" ;;
        hold) common+=" $lock --format" ;;
        list) common+=" --format --watch" ;;
        revoke) common+=" --holder --all" ;;
        esac
        ((COMP_CWORD == 1)) && common+=" run hold list test revoke"
        mapfile -t COMPREPLY < <(compgen -W "$common" -- "$current")
        ;;
    esac
}
complete -F _curator_lock curator-lock
