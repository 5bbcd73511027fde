# Completion of elwood for bash, 3.2 and later. To have it in every shell, add to ~/.bashrc:
#   source <(elwood completion bash)

# @tables

# Takes a candidate that begins with what was typed, without the part that bash keeps.
# Compared by hand: the builtin for word lists would expand what stands in them, and some
# candidates come from outside.
_elwood_add() {
  [[ $1 == "$cur"* ]] && COMPREPLY+=("${1#"$kept"}")
}

# Offers what fits the kind $2; $1 is put before each candidate.
_elwood_offer() {
  local value rest flag=-f
  case "$2" in
    '='*)
      for value in ${2#=}; do _elwood_add "$1$value"; done ;;
    files | folders)
      [[ $2 == folders ]] && flag=-d
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen $flag -- "${cur#"$1"}") ;;
    sessions | notes | models | agents)
      while IFS=$'\t' read -r value rest; do
        _elwood_add "$1$value"
      done < <("$self" completion --values "$2" 2>/dev/null) ;;
  esac
}

_elwood() {
  local IFS=$' \t\n'
  local -a words commands options arguments
  local cur self path kind alone variadic word i last position ended kept count
  COMPREPLY=()

  # Bash cuts words at = and :, which --option=value and the names of models hold: join them again.
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    count=${#words[@]}
    if ((count > 1)) && [[ $word == [=:] || ${COMP_WORDS[i - 1]} == [=:] ]] &&
      ! [[ -z $word && ${COMP_LINE:COMP_POINT-1:1} == [[:space:]] ]]; then
      words[count - 1]+=$word
    else
      words+=("$word")
    fi
  done
  last=$((${#words[@]} - 1))
  cur=${words[last]}
  self=${words[0]/#\~/$HOME}
  # What it has cut off it also keeps on the line.
  kept=
  if [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]]; then
    kept=${cur%"${cur##*:}"}
  elif [[ $COMP_WORDBREAKS == *=* && $cur == *=* ]]; then
    kept=${cur%"${cur##*=}"}
  fi

  path=elwood position=0 ended=
  _elwood_command "$path"
  for ((i = 1; i < last; i++)); do
    word=${words[i]}
    if [[ -n $ended ]]; then
      position=$((position + 1))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == -* ]]; then
      _elwood_option "$path $word"
      [[ -z $kind || (-n $alone && ${words[i + 1]} == -*) ]] && continue
      i=$((i + 1))
      if ((i == last)); then
        _elwood_offer '' "$kind"
        return 0
      fi
    else
      if ((position == 0)); then
        for kind in "${commands[@]}"; do
          [[ $word == "$kind" ]] || continue
          path="$path $word" position=-1
          _elwood_command "$path"
          break
        done
      fi
      position=$((position + 1))
    fi
  done

  if [[ -z $ended && $cur == --*=* ]]; then
    _elwood_option "$path ${cur%%=*}"
    _elwood_offer "${cur%%=*}=" "$kind"
  elif [[ -z $ended && $cur == -* ]]; then
    for word in "${options[@]}"; do _elwood_add "$word"; done
  else
    if [[ -z $ended && $position == 0 ]]; then
      for word in "${commands[@]}"; do _elwood_add "$word"; done
    fi
    count=${#arguments[@]}
    if [[ -n $variadic ]] && ((position >= count)); then position=$((count - 1)); fi
    if ((position < count)); then _elwood_offer '' "${arguments[position]}"; fi
  fi
  return 0
}

complete -F _elwood elwood
